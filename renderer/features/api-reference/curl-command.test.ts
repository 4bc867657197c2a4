import { describe, expect, it } from 'vitest';
import { createOpenApiDocument } from '../../../test/support/public-document.ts';
import { curlCommand } from './curl-command.ts';

const document = createOpenApiDocument({ serverUrl: 'http://127.0.0.1:3003', version: '1' });

function commandFor(method: string, path: string): string {
  return curlCommand('http://127.0.0.1:3003', method, path, document.paths[path]![method.toLowerCase()]!);
}

describe('curlCommand', () => {
  it('asks a public route with nothing else', () => {
    expect(commandFor('GET', '/health')).toBe("curl 'http://127.0.0.1:3003/health'");
  });

  it('names the parameters that must be there, and no other', () => {
    expect(commandFor('GET', '/records').split(' \\\n  ')).toEqual([
      "curl 'http://127.0.0.1:3003/records?model=<model>'",
      '-H "Authorization: Bearer $HOMEPORT_SECRET_KEY"',
      "-H 'provider-config-key: <provider-config-key>'",
      "-H 'connection-id: <connection-id>'",
    ]);
  });

  it('sends the members of the body that must be there', () => {
    expect(commandFor('POST', '/connections/metadata')).toContain(
      `-d '{"connection_id":"<connection_id>","provider_config_key":"<provider_config_key>","metadata":{}}'`,
    );
    expect(commandFor('POST', '/connections')).toContain(
      '"credentials":{"type":"OAUTH2","access_token":"<access_token>"}',
    );
  });

  it('asks for the token of a session where no key is taken', () => {
    expect(commandFor('DELETE', '/connect/session')).toContain('Bearer $CONNECT_SESSION_TOKEN');
  });
});
