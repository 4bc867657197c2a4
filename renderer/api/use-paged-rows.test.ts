import { describe, expect, it } from 'vitest';
import { pagesInView } from './use-paged-rows.ts';

describe('pagesInView', () => {
  it('holds only the pages in view after a walk through 500 of them', () => {
    let known = new Map<number, readonly string[]>();
    for (let page = 1; page <= 500; page += 1)
      known = pagesInView([page, page + 1], [[`row of ${page}`], undefined], known);
    expect([...known.keys()]).toEqual([500]);
  });

  it('keeps the last rows of a page while it is read again', () => {
    const known = pagesInView([1, 2], [['old'], ['two']], new Map());
    expect(pagesInView([1, 2], [undefined, ['new']], known)).toEqual(
      new Map([
        [1, ['old']],
        [2, ['new']],
      ]),
    );
  });
});
