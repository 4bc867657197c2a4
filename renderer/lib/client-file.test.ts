import { expect, it } from 'vitest';
import { readClientFile } from './client-file.ts';

it('finds the client at the top or one level below', () => {
  expect(readClientFile('{"clientId": "a", "clientSecret": "b"}')).toEqual({ client_id: 'a', client_secret: 'b' });
  const google = '{"web": {"client_id": "x.apps", "project_id": "p", "client_secret": "s"}}';
  expect(readClientFile(google)).toEqual({ client_id: 'x.apps', client_secret: 's' });
});

it('leaves other text alone', () => {
  expect(readClientFile('a client id')).toBeUndefined();
  expect(readClientFile('{"broken"')).toBeUndefined();
  expect(readClientFile('{"redirect": ["x"], "nothing": null}')).toBeUndefined();
});
