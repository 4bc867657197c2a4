import { CliFailure, EXIT } from './cli-failure.ts';

/** Exit statuses of jq. */
const NOT_COMPILED = 3;

/**
 * The filter of `--jq`, in the language of jq 1.8 (jq itself, compiled to WebAssembly). Returns what it selects from a
 * document, one text for each result: texts as they are, other values as JSON in one line.
 */
export async function loadJsonFilter(query: string): Promise<(json: string) => string[]> {
  // More than a megabyte, which few calls need.
  const { loadJq } = await import('jq-wasm/inline');
  const jq = await loadJq();
  const { exitCode, stderr } = jq.raw(null, query);
  // Only a filter that cannot be read is known to be wrong before it gets a value.
  if (exitCode === NOT_COMPILED) throw new CliFailure(`--jq is not a jq filter: ${reasonOf(stderr)}`, EXIT.usage);
  return (json) => {
    const { stdout, ...result } = jq.raw(json, query, ['-r', '-c']);
    if (result.exitCode !== 0)
      throw new CliFailure(`The --jq filter does not fit the result: ${reasonOf(result.stderr)}`);
    return stdout === '' ? [] : [stdout.replace(/\n$/, '')];
  };
}

/** The first sentence of jq, without its program name and position. */
function reasonOf(stderr: string): string {
  const [line = ''] = stderr.trim().split('\n');
  return line.replace(/^jq: error(?: \(at [^)]*\))?: /, '').replace(/ at <top-level>.*$/, '');
}
