import { describe, expect, it } from 'vitest';
import { modelSchema } from './model-schema.ts';

const text = { type: 'string' };
const refers = (name: string) => ({ type: 'object', properties: { one: { $ref: `#/definitions/${name}` } } });

describe('modelSchema', () => {
  it('adds the models that are referred to, also through others, and no more', () => {
    const models = { A: refers('B'), B: refers('C'), C: text, D: refers('A') };

    expect(modelSchema(models, 'A')).toEqual({ ...models.A, definitions: { B: models.B, C: text } });
    expect(modelSchema(models, 'C')).toBe(text);
    expect(modelSchema(models, 'E')).toBeUndefined();
    expect(modelSchema(models, 'toString')).toBeUndefined();
  });

  it('adds a model that refers to itself', () => {
    const Tree = refers('Tree');
    expect(modelSchema({ Tree }, 'Tree')).toEqual({ ...Tree, definitions: { Tree } });
  });

  it('keeps the definitions of the schema itself', () => {
    const own = { ...refers('B'), definitions: { B: text } };
    expect(modelSchema({ A: own, B: refers('C') }, 'A')).toBe(own);
    const partly = { anyOf: [refers('B'), refers('C')], definitions: { B: text } };
    expect(modelSchema({ A: partly, C: text }, 'A')).toEqual({ ...partly, definitions: { B: text, C: text } });
  });

  it.each([
    ['List<User>', 'List%3CUser%3E'],
    ['a/b~c', 'a~1b~0c'],
    ['100%', '100%'],
    ['B', 'B/properties/one'],
  ])('finds %s by the reference %s', (name, reference) => {
    const A = refers(reference);
    expect(modelSchema({ A, [name]: text }, 'A')).toEqual({ ...A, definitions: { [name]: text } });
  });

  it('follows a name that only stands for another model', () => {
    const models = { A: { $ref: '#/definitions/B' }, B: { $ref: '#/definitions/C' }, C: refers('D'), D: text };
    expect(modelSchema(models, 'A')).toEqual({ ...models.C, definitions: { D: text } });
  });

  it('ends for names that stand for each other', () => {
    const models = { A: { $ref: '#/definitions/B' }, B: { $ref: '#/definitions/A' } };
    expect(modelSchema(models, 'A')).toMatchObject({ definitions: models });
  });
});
