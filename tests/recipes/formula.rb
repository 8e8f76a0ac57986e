# Does with a formula for Homebrew what brew does, as far as that needs no network: reads it and names what its install
# runs; with TC_BUILD_RECIPES runs that, and its test. usage: formula.rb FORMULA SOURCE PREFIX
require "pathname"

PREFIX = Pathname.new(File.expand_path(ARGV[2]))

class Formula
  @needs = []
  class << self
    attr_reader :needs, :tested

    def inherited(formula) = formula.instance_variable_set(:@needs, [])
    %i[desc url sha256 license].each { |name| define_method(name) { |text| text } }
    def depends_on(need) = @needs << (need.is_a?(Hash) ? need.keys.first : need)
    def test(&block) = @tested = block
  end

  def prefix = PREFIX
  def bin = prefix/"bin"
  def doc = prefix/"share/doc/tracecoach"
  def std_cmake_args = ["-DCMAKE_INSTALL_PREFIX=#{prefix}", "-DCMAKE_BUILD_TYPE=Release"]

  def system(*command)
    puts command.join(" ")
    return unless ENV["TC_BUILD_RECIPES"]
    Kernel.system(*command, out: File::NULL) || abort("failed: #{command.join(" ")}")
  end

  def shell_output(command) = `#{command}`.tap { abort("failed: #{command}") unless $?.success? }
  def assert_match(text, output) = output.include?(text) || abort("#{text}: not in #{output}")
end

load File.expand_path(ARGV[0])
formula = Tracecoach.new
puts "depends on #{Tracecoach.needs.join(" ")}"
Dir.chdir(ARGV[1]) { formula.install }
formula.instance_eval(&Tracecoach.tested) if ENV["TC_BUILD_RECIPES"]
