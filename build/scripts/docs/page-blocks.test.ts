import { describe, expect, it } from 'vitest';
import { fileOf, MarkError, readBlocks } from './page-blocks.ts';

const page = (...lines: string[]): string => lines.join('\n');

describe('the blocks of a page', () => {
  it('have their language, their marks and their text', () => {
    const [first, second] = readBlocks(
      page(
        '<!-- skip: no -->',
        'words',
        '<!-- needs: connection, go -->',
        '<!-- expects: a: b -->',
        '<!-- expects: c -->',
        '',
        '```sh',
        'go',
        '```',
        '```',
        'x',
        '```',
      ),
    );

    expect(first).toEqual({
      language: 'sh',
      text: 'go\n',
      line: 7,
      marks: { needs: ['connection', 'go'], expects: ['a: b', 'c'] },
    });
    expect(second).toMatchObject({ language: '', text: 'x\n', marks: {} });
  });

  it('lose the indentation of a list, and keep their own', () => {
    expect(
      readBlocks(page('1. Do', '', '   <!-- answer -->', '   ```json', '   {', '     "a": 1', '', '   }', '   ```')),
    ).toEqual([{ language: 'json', text: '{\n  "a": 1\n\n}\n', line: 4, marks: { answer: true } }]);
  });

  it.each([
    [page('<!-- skips: why -->', '```sh', '```'), 'line 1: "skips: why" is not a mark'],
    [page('<!-- status: OK -->', '```sh', '```'), 'line 1: "status: OK" is not a mark'],
    [page('<!-- skip -->', '```sh', '```'), 'line 1: the mark "skip" has no value'],
    [page('```sh', 'ls'), 'line 1: the block has no end'],
  ])('refuse %j', (text, message) => {
    expect(() => readBlocks(text)).toThrow(MarkError);
    expect(() => readBlocks(text)).toThrow(message);
  });

  it('name the file that they are saved under', () => {
    const of = (text: string) => readBlocks(text).map(fileOf);

    expect(of(page('```js', '// app.mjs', '```', '```python', '# a/b.py', '```', '```js', 'x', '```'))).toEqual([
      'app.mjs',
      'a/b.py',
      undefined,
    ]);
    expect(of(page('<!-- file: .env -->', '```text', 'A=1', '```', '```sh', '# deploy.sh', '```'))).toEqual([
      '.env',
      undefined,
    ]);
  });
});
