/** The lowest level of functions' messages that is recorded. */
export const FUNCTION_LOG_LEVELS = [
  { value: 'debug', label: 'debug: everything' },
  { value: 'info', label: 'info and above' },
  { value: 'warn', label: 'warn and above' },
  { value: 'error', label: 'error only' },
  { value: 'off', label: 'off: no messages of functions' },
];
