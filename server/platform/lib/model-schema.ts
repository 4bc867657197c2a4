type JsonSchema = Record<string, unknown>;

type Models = Readonly<Record<string, JsonSchema>>;

/**
 * One model of a function as a schema that stands alone: with the models that it refers to, also through others. The
 * compiler writes schemas in place, but other command lines deploy models that refer to each other, or that are only
 * another name of one.
 */
export function modelSchema(models: Models, name: string): JsonSchema | undefined {
  const seen = new Set<string>();
  let found = modelNamed(models, name);
  while (found && Object.keys(found).length === 1 && typeof found['$ref'] === 'string') {
    const target = nameIn(found['$ref']);
    const next = target === undefined || seen.has(target) ? undefined : modelNamed(models, target);
    if (target === undefined || !next) break;
    seen.add(target);
    found = next;
  }
  return found && withReferredModels(found, models);
}

/** The schema with the models that it refers to; its own definitions take precedence. */
export function withReferredModels(schema: JsonSchema, models: Models): JsonSchema {
  const own = (schema['definitions'] ?? {}) as Models;
  const added: Record<string, JsonSchema> = {};
  const wanted = referencesOf(schema);
  for (const name of wanted) {
    const model = Object.hasOwn(own, name) || Object.hasOwn(added, name) ? undefined : modelNamed(models, name);
    if (!model) continue;
    added[name] = model;
    wanted.push(...referencesOf(model));
  }
  return Object.keys(added).length === 0 ? schema : { ...schema, definitions: { ...added, ...own } };
}

/** Names of the models that a schema refers to. */
export function referencesOf(schema: JsonSchema): string[] {
  const found = JSON.stringify(schema).matchAll(/"\$ref":"(#\/definitions\/[^"]+)"/g);
  return [...found].flatMap(([, reference = '']) => nameIn(reference) ?? []);
}

/** The model of `#/definitions/<name>`, also when the reference leads into it. */
function nameIn(reference: string): string | undefined {
  const part = /^#\/definitions\/([^/]+)/.exec(reference)?.[1];
  return part === undefined ? undefined : decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A lone "%" stands for itself.
    return part;
  }
}

function modelNamed(models: Models, name: string): JsonSchema | undefined {
  return Object.hasOwn(models, name) ? models[name] : undefined;
}
