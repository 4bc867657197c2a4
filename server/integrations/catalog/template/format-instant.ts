const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

const TOKEN = /\[([^[\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|DD|D|dddd|ddd|dd|d|HH|H|hh|h|mm|m|ss|s|SSS|ZZ|Z|A|a|X|x/g;

/** Formats a time in UTC with the dayjs tokens of providers.md 4; `X` is epoch seconds, `x` milliseconds. */
export function formatInstant(epochMs: number, format: string): string {
  return format.replace(
    TOKEN,
    (token: string, literal: string | undefined) => literal ?? formatToken(new Date(epochMs), token),
  );
}

function formatToken(date: Date, token: string): string {
  const hour12 = date.getUTCHours() % 12 || 12;
  const month = MONTHS[date.getUTCMonth()] ?? '';
  const day = DAYS[date.getUTCDay()] ?? '';
  switch (token) {
    case 'YYYY':
      return String(date.getUTCFullYear()).padStart(4, '0');
    case 'YY':
      return String(date.getUTCFullYear()).slice(-2);
    case 'MMMM':
      return month;
    case 'MMM':
      return month.slice(0, 3);
    case 'MM':
      return twoDigits(date.getUTCMonth() + 1);
    case 'M':
      return String(date.getUTCMonth() + 1);
    case 'DD':
      return twoDigits(date.getUTCDate());
    case 'D':
      return String(date.getUTCDate());
    case 'dddd':
      return day;
    case 'ddd':
      return day.slice(0, 3);
    case 'dd':
      return day.slice(0, 2);
    case 'd':
      return String(date.getUTCDay());
    case 'HH':
      return twoDigits(date.getUTCHours());
    case 'H':
      return String(date.getUTCHours());
    case 'hh':
      return twoDigits(hour12);
    case 'h':
      return String(hour12);
    case 'mm':
      return twoDigits(date.getUTCMinutes());
    case 'm':
      return String(date.getUTCMinutes());
    case 'ss':
      return twoDigits(date.getUTCSeconds());
    case 's':
      return String(date.getUTCSeconds());
    case 'SSS':
      return String(date.getUTCMilliseconds()).padStart(3, '0');
    case 'ZZ':
      return '+0000';
    case 'Z':
      return '+00:00';
    case 'A':
      return date.getUTCHours() < 12 ? 'AM' : 'PM';
    case 'a':
      return date.getUTCHours() < 12 ? 'am' : 'pm';
    case 'X':
      return String(Math.floor(date.getTime() / 1000));
    default:
      return String(date.getTime());
  }
}

/** Adds calendar months as dayjs does: the day stays the same, or becomes the month's last day. */
export function shiftInstant(epochMs: number, shiftMs: number, months: number): number {
  if (months === 0) return epochMs + shiftMs;
  const date = new Date(epochMs + shiftMs);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime();
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
