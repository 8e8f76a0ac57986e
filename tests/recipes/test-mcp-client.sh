# The protocol's official client drives tracecoach mcp. Needs node, npm and its registry.
. "$(dirname "$0")/../cli/lib.sh"

command -v npm >/dev/null || t_skip 'no npm'
cp "$root"/tests/mcp/package*.json "$root/tests/mcp/client.mjs" .
npm ci --ignore-scripts --no-audit --no-fund >"$out" 2>"$err" || t_skip 'the registry of npm cannot be reached'
t_what=client.mjs
node client.mjs "$tool" "$example" >"$out" 2>"$err"
t_check $? 0
t_out '^ok$'
t_end
