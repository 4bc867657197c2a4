import { execFileSync, spawn } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { TlsRequest } from './tls-provider.ts';

/** Serves the repositories of a folder over http by git's own program (git-http-backend, CGI). */
export function serveGit(folder: string, request: TlsRequest, response: ServerResponse): void {
  const [path = '', query = ''] = request.url.split('?');
  const program = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
  const header = (name: string): string => String(request.headers[name] ?? '');
  const child = spawn(program, {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'person',
      REQUEST_METHOD: request.method,
      PATH_INFO: path,
      QUERY_STRING: query,
      CONTENT_TYPE: header('content-type'),
      CONTENT_LENGTH: String(request.body.length),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      GIT_PROTOCOL: header('git-protocol'),
    },
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    for (const line of output.subarray(0, end).toString().split('\r\n')) {
      const [, name = '', value = ''] = /^([^:]*): *(.*)$/.exec(line) ?? [];
      if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.end(output.subarray(end + 4));
  });
  // It may have answered before it read the body.
  child.stdin.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') response.destroy();
  });
  child.stdin.end(request.body);
}
