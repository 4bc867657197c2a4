import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { webhookCurl } from './webhook-curl.ts';

describe('webhookCurl', () => {
  it('survives a shell with every byte', () => {
    const body = `{"note":"it's \\"$HOME\\" \`x\` ü\\n"}`;
    const command = webhookCurl({ url: "http://a.test/?q='1'", headers: { 'x-a': "b'c" }, body });

    const printed = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; ${command}`]).toString();
    expect(printed.split('\0').slice(0, -1)).toEqual([
      '-X',
      'POST',
      "http://a.test/?q='1'",
      '-H',
      "x-a: b'c",
      '--data-raw',
      body,
    ]);
  });
});
