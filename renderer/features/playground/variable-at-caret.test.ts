import { describe, expect, it } from 'vitest';
import { referenceBefore, suggestNames, withName } from './variable-at-caret.ts';

describe('a reference that is being typed', () => {
  it('is found before the caret only while it is open', () => {
    expect(referenceBefore('/v1/{{US', 8)).toEqual({ from: 6, typed: 'US' });
    expect(referenceBefore('/v1/{{', 6)).toEqual({ from: 6, typed: '' });
    expect(referenceBefore('/v1/{{US}}', 8)).toEqual({ from: 6, typed: 'US' });
    expect(referenceBefore('/v1/{{US}}', 10)).toBeUndefined();
    expect(referenceBefore('/v1/{US', 7)).toBeUndefined();
    expect(referenceBefore('{{A\nB', 5)).toBeUndefined();
    expect(referenceBefore('\\{{US', 5)).toBeUndefined();
    expect(referenceBefore(`{{${'x'.repeat(400)}`, 402)).toBeUndefined();
  });

  it('is completed and closed once', () => {
    expect(withName('/v1/{{US/x', 6, 8, 'USER')).toEqual({ text: '/v1/{{USER}}/x', caret: 12 });
    expect(withName('/v1/{{USX}}/x', 6, 8, 'USER')).toEqual({ text: '/v1/{{USER}}/x', caret: 12 });
    expect(withName('{{', 2, 2, 'A')).toEqual({ text: '{{A}}', caret: 5 });
  });

  it('is suggested by its beginning first', () => {
    expect(suggestNames(['OLD_USER', 'KEY', 'USER', 'user_id'], 'us')).toEqual(['USER', 'user_id', 'OLD_USER']);
    expect(suggestNames(['A', 'B'], '')).toEqual(['A', 'B']);
  });
});
