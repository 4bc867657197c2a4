import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import * as zod from 'zod';
import { leanZod, settleNamespaces } from './lean-zod.ts';

/** zod as functions get it, evaluated in its own context. */
async function buildLean(): Promise<typeof zod> {
  const result = await build({
    stdin: { contents: "import { z } from 'zod'; globalThis.z = z;", resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import'],
    plugins: [leanZod],
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'silent',
  });
  const context: { z?: typeof zod } = {};
  runInNewContext(settleNamespaces(result.outputFiles[0]?.text ?? ''), context);
  if (!context.z) throw new Error('zod was not evaluated');
  return context.z;
}

describe('zod as functions get it', () => {
  it('has every name that it has elsewhere', async () => {
    const lean = await buildLean();
    const namesOf = (z: object) => Object.entries(z).map(([name, value]) => `${name} ${typeof value}`);

    expect(namesOf(lean).sort()).toEqual(namesOf(zod.z).sort());
    const whole: Record<string, object> = { ...zod };
    for (const name of ['core', 'util', 'regexes', 'coerce', 'iso'] as const) {
      expect(namesOf(lean[name]).sort()).toEqual(namesOf(whole[name] ?? {}).sort());
      expect(lean[name]).toBe(lean[name]);
    }
    expect(lean.core.util).toBe(lean.util);
    expect(Object.keys(lean.locales)).toContain('en');
  });

  it('has constructors of the same names, whose instances stay distinguishable', async () => {
    const { ZodArray, ZodError, ZodString, ZodType, string } = await buildLean();

    const text = string();
    const { error } = text.safeParse(1);

    expect([ZodString.name, ZodError.name]).toEqual([zod.ZodString.name, zod.ZodError.name]);
    expect([text instanceof ZodString, text instanceof ZodType, text instanceof ZodArray]).toEqual([true, true, false]);
    expect([error instanceof ZodError, error?.name, error?.constructor.name]).toEqual([
      true,
      zod.string().safeParse(1).error?.name,
      zod.string().safeParse(1).error?.constructor.name,
    ]);
    expect(new ZodString({ type: 'string' }).parse('a')).toBe('a');
  });

  it('parses, refuses, describes and is extended as before', async () => {
    const lean = await buildLean();
    const use = ({ z }: { z: typeof zod.z }) => {
      const model = z
        .object({
          id: z.string().min(2),
          at: z.iso.datetime().optional(),
          n: z.coerce.number(),
          tags: z.array(z.enum(['a'])),
        })
        .refine(({ n }) => n > 1, { message: 'small' });
      const values = [{ id: 'ab', n: '3', tags: ['a'] }, { id: 'a', n: 0, tags: ['b'] }, null];
      return JSON.stringify([
        values.map((value) => {
          const { data, error } = model.safeParse(value);
          return [data, error?.issues, error?.message];
        }),
        z.toJSONSchema(z.object({ a: z.string().describe('x').nullable() })),
        z.toJSONSchema(z.fromJSONSchema({ type: 'object', properties: { a: { type: 'number' } } })),
        z
          .string()
          .transform((text) => text.length)
          .pipe(z.number())
          .safeParse('abc').data,
      ]);
    };

    expect(use({ z: lean as unknown as typeof zod.z })).toBe(use(zod));
  });
});
