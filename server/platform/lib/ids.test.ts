import { expect, it } from 'vitest';
import { uuidOf } from './ids.ts';

it('uuidOf returns the UUIDs of the standard', () => {
  // RFC 9562, appendix A.4: DNS namespace and www.example.com.
  expect(uuidOf('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe(
    '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  );
});
