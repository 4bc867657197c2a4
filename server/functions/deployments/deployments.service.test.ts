import { describe, expect, it } from 'vitest';
import { namesCompared } from './deployments.service.ts';

describe('namesCompared', () => {
  it('sees names in capitals on either side of a comparison, and no others', () => {
    const code = `const a = env?.find((v) => v.name === "API_KEY")?.value; if ('REGION' == one.name) go();
      headers.find((h) => h.name === "From"); x.title === "OTHER";`;

    expect([...namesCompared(code)]).toEqual(['API_KEY', 'REGION']);
  });
});
