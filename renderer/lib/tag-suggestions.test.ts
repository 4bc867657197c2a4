import { describe, expect, it } from 'vitest';
import { suggestedTags, writtenTag } from './tag-suggestions.ts';

const KNOWN = ['plan: pro', 'plan: free', 'owner: ann', 'url: a: b', 'region: prolific'];

describe('writtenTag', () => {
  it('writes every form of a tag as lists do', () => {
    expect(['plan:p', 'plan = p', ' plan: p ', 'plan', 'url:a: b'].map(writtenTag)).toEqual([
      'plan: p',
      'plan: p',
      'plan: p',
      'plan',
      'url: a: b',
    ]);
  });
});

describe('suggestedTags', () => {
  it('suggests names, and tags that contain the text, while a name is typed', () => {
    expect(suggestedTags(KNOWN, 'P', [])).toEqual({
      names: ['plan: '],
      tags: ['plan: pro', 'plan: free', 'region: prolific'],
    });
    expect(suggestedTags(KNOWN, '', []).names).toEqual(['plan: ', 'owner: ', 'url: ', 'region: ']);
  });

  it('suggests values of the name after a colon or an equals sign', () => {
    expect(suggestedTags(KNOWN, 'plan=', [])).toEqual({ names: [], tags: ['plan: pro', 'plan: free'] });
    expect(suggestedTags(KNOWN, 'plan:f', []).tags).toEqual(['plan: free']);
    expect(suggestedTags(KNOWN, 'url: a', []).tags).toEqual(['url: a: b']);
  });

  it('leaves out what the connection has, and what is typed already', () => {
    expect(suggestedTags(KNOWN, 'plan:', [['plan', 'pro']]).tags).toEqual(['plan: free']);
    expect(suggestedTags(KNOWN, 'plan: free', []).tags).toEqual([]);
  });
});
