/** Names of the models that belong to one function (functions.md 1.9). */
export function functionModelName(
  purpose: 'ActionInput' | 'ActionOutput' | 'SyncMetadata',
  integration: string,
  name: string,
): string {
  return `${purpose}_${integration.replace(/[^a-zA-Z0-9]/g, '_')}_${name.replace(/[^a-zA-Z0-9]/g, '')}`;
}

const MODEL_NAME = /^[A-Z][a-zA-Z0-9_]+$/;

export function isModelName(name: string): boolean {
  return MODEL_NAME.test(name);
}
