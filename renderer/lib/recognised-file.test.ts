import { describe, expect, it } from 'vitest';
import { readRecognised, recogniseFile } from './recognised-file.ts';

describe('a dropped file', () => {
  it.each([
    ['all.json', '{"format":"homeport-export"}', 'export'],
    ['team.homeport', '{"format":"homeport-export"}', 'export'],
    ['people.csv', 'id,key\n', 'connections'],
    ['people.json', '[{"id":"1"}]', 'connections'],
    ['mixed.json', '["x",{"id":"1"}]', 'connections'],
    ['texts.json', '["x"]', 'unknown'],
    ['dump.json', '{"connections":[{"connection_id":"1"}]}', 'connections'],
    ['providers.yaml', 'acme:\n  auth_mode: NONE\n', 'providers'],
    ['providers.json', '{"acme":{"auth_mode":"NONE"}}', 'providers'],
    ['.env', 'A=1', 'variables'],
    [
      'acme.postman_collection.json',
      '{"info":{"schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},"item":[]}',
      'requests',
    ],
    ['package.json', '{"name":"x"}', 'unknown'],
    ['broken.json', '{', 'unknown'],
    ['picture.png', '', 'unknown'],
  ])('called %s is known for what it is', (name, text, kind) => {
    expect(recogniseFile(name, text).kind).toBe(kind);
  });

  it('is read as text', async () => {
    expect(await readRecognised(new File(['A=1'], '.env'))).toEqual({ kind: 'variables', name: '.env', text: 'A=1' });
  });
});
