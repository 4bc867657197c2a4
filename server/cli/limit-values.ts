import { CliFailure, EXIT } from './cli-failure.ts';

/** A limit as the hub takes it. Null is no limit; `default` takes a limit of its own back. */
export type LimitValue = number | string[] | 'default' | null;

export const LIMIT_NAMES = ['calls_per_minute', 'calls', 'writes', 'cost', 'repeats', 'hosts', 'methods'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** Reads the value of a limit as a person writes it. `option` is how the person named it. */
export function readLimitValue(name: LimitName, text: string, option: string, words: readonly string[]): LimitValue {
  const word = text.trim().toLowerCase();
  if (words.includes(word)) return word === 'none' ? null : 'default';
  if (name === 'hosts' || name === 'methods') {
    const parts = (name === 'methods' ? text.toUpperCase() : text).split(',').map((one) => one.trim());
    return parts.filter((one) => one !== '');
  }
  const value = Number(text);
  if (word === '' || !Number.isFinite(value) || value < 0) {
    const quoted = words.map((one) => ` or "${one}"`).join('');
    throw new CliFailure(`${option} takes a number${quoted}, not "${text}".`, EXIT.usage);
  }
  return value;
}
