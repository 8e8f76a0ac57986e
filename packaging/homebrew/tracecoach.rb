# A formula for Homebrew on Linux. scripts/make-release puts in where the source is, and its checksum.
class Tracecoach < Formula
  desc "Ranked advice from profiler traces of deep-learning runs"
  url "@URL@"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "cmake" => :build
  depends_on "pkgconf" => :build
  depends_on "inih"
  depends_on "libseccomp"
  depends_on :linux
  depends_on "popt"
  depends_on "sqlite"
  depends_on "yajl"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "cmake", "-S", ".", "-B", "build", "-DTC_USE_ISAL=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    example = doc/"testdata/trace_example.json"
    assert_match "The device waits for the data loader", shell_output("#{bin}/tracecoach #{example} --quiet")
  end
end
