import { type DescribedOperation, listOf, objectOf, responseSchema } from './operations.ts';
import type { Description } from './read-description.ts';
import { exampleValue } from './zod-source.ts';

type JsonObject = Record<string, unknown>;

function responseExample(description: Description, operation: DescribedOperation): unknown {
  const responses = Object.entries(objectOf(operation.raw['responses'])).filter(([code]) => /^2|^default$/.test(code));
  for (const [, response] of responses)
    for (const media of Object.values(objectOf(description.resolve(response)?.['content']))) {
      const { example, examples } = objectOf(media);
      if (example !== undefined && example !== null) return example;
      for (const one of Object.values(objectOf(examples))) {
        const value = description.resolve(one)?.['value'];
        if (value !== undefined && value !== null) return value;
      }
    }
  return exampleValue(description, responseSchema(description, operation));
}

function pathOf(path: string, values: JsonObject): string {
  return path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => encodeURIComponent(String(values[name] ?? '1')));
}

/** A recording of an action with the description's examples. */
export function actionFixture(
  description: Description,
  operation: DescribedOperation,
  { body, isWhole }: { body: JsonObject | undefined; isWhole: boolean },
): JsonObject {
  const needed = operation.parameters.filter(({ in: place, isRequired }) => isRequired && place !== 'header');
  const values = Object.fromEntries(needed.map((one) => [one.name, exampleValue(description, one.schema) ?? '1']));
  const content = body === undefined ? undefined : exampleValue(description, body);
  const input = { ...values, ...(isWhole ? { body: content } : objectOf(content)) };
  const response = responseExample(description, operation);
  const entry = { response: response ?? '', status: 200, isForAll: true };
  return {
    ...(Object.keys(input).length > 0 ? { input } : {}),
    ...(response === null || response === undefined ? {} : { output: response }),
    api: { [operation.method.toLowerCase()]: { [pathOf(operation.path, values)]: entry } },
  };
}

/** A recording of a sync with one page, and what it saves. */
export function syncFixture(
  description: Description,
  operation: DescribedOperation,
  { idField, list, metadata, model }: { list: string; model: string; idField: string; metadata: string[] },
): JsonObject {
  const response = responseExample(description, operation);
  const items = list
    .split('.')
    .reduce<unknown>((value, part) => (part === '' ? value : objectOf(value)[part]), response);
  const records = listOf(items).map((one) => ({
    ...objectOf(one),
    id: String(objectOf(one)[idField]),
  }));
  const values = Object.fromEntries(metadata.map((one) => [one, '1']));
  return {
    nango: {
      ...(metadata.length > 0 ? { getMetadata: values } : {}),
      batchSave: { [model]: records },
      batchDelete: {},
    },
    api: { get: { [pathOf(operation.path, values)]: { response, status: 200, isForAll: true } } },
  };
}
