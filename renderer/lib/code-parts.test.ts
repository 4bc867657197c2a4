import { describe, expect, it } from 'vitest';
import { codeParts } from './code-parts.ts';

describe('codeParts', () => {
  it('takes what stands between backticks as code, and leaves a lone one', () => {
    expect(codeParts('Expected `,` or `}` but found `')).toEqual([
      { text: 'Expected ', isCode: false },
      { text: ',', isCode: true },
      { text: ' or ', isCode: false },
      { text: '}', isCode: true },
      { text: ' but found `', isCode: false },
    ]);
    expect(codeParts('Nothing')).toEqual([{ text: 'Nothing', isCode: false }]);
  });
});
