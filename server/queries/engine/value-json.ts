import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionValue,
  type DuckDBValue,
} from '@duckdb/node-api';

/**
 * A value of the engine as JSON has it: times as ISO 8601, whole numbers that JavaScript cannot hold as text, bytes as
 * Base64, JSON columns as what they contain.
 */
export function jsonOf(value: DuckDBValue, type?: DuckDBType): unknown {
  if (value === null) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string') return type?.alias === 'JSON' ? parsed(value) : value;
  if (typeof value === 'boolean') return value;
  if (value instanceof DuckDBTimestampTZValue) return `${isoTime(value.micros)}Z`;
  if (value instanceof DuckDBTimestampValue) return isoTime(value.micros);
  if (value instanceof DuckDBDateValue) return String(value);
  if (value instanceof DuckDBDecimalValue) {
    const number = Number(String(value));
    return String(value).length <= 15 ? number : String(value);
  }
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('base64');
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    const inner = type && 'valueType' in type ? (type.valueType as DuckDBType) : undefined;
    return value.items.map((item) => jsonOf(item, inner));
  }
  if (value instanceof DuckDBStructValue) {
    const types =
      type?.typeId === DuckDBTypeId.STRUCT ? (type as unknown as { entryTypes: DuckDBType[] }).entryTypes : [];
    return Object.fromEntries(
      Object.entries(value.entries).map(([name, item], index) => [name, jsonOf(item, types[index])]),
    );
  }
  if (value instanceof DuckDBMapValue)
    return Object.fromEntries(value.entries.map(({ key, value: item }) => [String(jsonOf(key)), jsonOf(item)]));
  if (value instanceof DuckDBUnionValue) return jsonOf(value.value);
  return String(value);
}

/** A JSON column may hold what an aggregate made of it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Microseconds since the epoch as date and time; fractions beyond milliseconds only where there are any. */
function isoTime(micros: bigint): string {
  const millis = Number(micros / 1000n);
  if (Math.abs(millis) > 8.64e15) return micros > 0n ? 'infinity' : '-infinity';
  const text = new Date(millis).toISOString().slice(0, -1);
  const rest = Number(((micros % 1000n) + 1000n) % 1000n);
  return rest === 0 ? text : `${text}${String(rest).padStart(3, '0')}`;
}
