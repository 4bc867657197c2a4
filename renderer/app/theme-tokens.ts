/** The colours of look/README, light and dark. Each becomes `--hp-<name>`. */
const COLORS = {
  bg: ['#F2F5F6', '#0B0F12'],
  surface: ['#FFFFFF', '#11171B'],
  sunken: ['#F7F9FA', '#0D1215'],
  raised: ['#FFFFFF', '#182026'],
  input: ['#FFFFFF', '#0D1215'],
  hover: ['#F0F4F5', '#172026'],
  active: ['#E4EAED', '#1E282E'],
  selected: ['#E6F2F5', '#10272F'],
  border: ['#E0E6E9', '#212B31'],
  'border-strong': ['#C6D0D5', '#36434B'],
  control: ['#84919A', '#65747D'],
  text: ['#12191D', '#E7ECEF'],
  'text-2': ['#45525A', '#AEB9C0'],
  'text-3': ['#5F6D76', '#8896A0'],
  accent: ['#0B6A80', '#4DB4C9'],
  'on-accent': ['#FFFFFF', '#12191D'],
  'accent-hover': ['#085668', '#6CC7D9'],
  'accent-text': ['#0A6075', '#6CC7D9'],
  'accent-soft': ['#DFF0F4', '#12323B'],
  focus: ['#0B7A93', '#5CC3D7'],
  ok: ['#17714A', '#63C491'],
  'ok-soft': ['#E2F3EA', '#12291F'],
  warn: ['#855600', '#E2AE54'],
  'warn-soft': ['#FBF1D9', '#2D2413'],
  bad: ['#B42B24', '#F58D84'],
  'bad-soft': ['#FCEAE8', '#351C1B'],
  run: ['#2A5BBF', '#8DB0F7'],
  'run-soft': ['#E7EEFB', '#18243D'],
  mute: ['#55626A', '#A3AFB7'],
  'mute-soft': ['#EAEEF0', '#1E272C'],
  'add-bg': ['#E4F4EB', '#11281E'],
  'add-hi': ['#BFE5CF', '#1C4A34'],
  'del-bg': ['#FCECEA', '#321B1B'],
  'del-hi': ['#F6C9C4', '#63302C'],
  production: ['#D9731A', '#D9731A'],
  'env-petrol': ['#0B6A80', '#4DB4C9'],
  'env-blue': ['#2A5BBF', '#8DB0F7'],
  'env-violet': ['#7446B8', '#B79AF0'],
  'env-magenta': ['#A83279', '#E88CC3'],
  'env-red': ['#B42B24', '#F58D84'],
  'env-orange': ['#D9731A', '#D9731A'],
  'env-green': ['#17714A', '#63C491'],
  'env-grey': ['#55626A', '#A3AFB7'],
  keyword: ['#8A3F9B', '#D19BE0'],
  string: ['#17714A', '#7FCBA2'],
  number: ['#9A4B00', '#E9AE72'],
  function: ['#2A5BBF', '#8DB0F7'],
  type: ['#0A6075', '#6CC7D9'],
  comment: ['#616E77', '#8A98A1'],
  scrim: ['rgba(11, 15, 18, 0.62)', 'rgba(11, 15, 18, 0.62)'],
  'shadow-1': ['0 8px 24px rgba(18, 25, 29, 0.12)', '0 0 0 1px #36434B'],
  'shadow-2': ['0 24px 64px rgba(18, 25, 29, 0.24)', '0 0 0 1px #36434B, 0 24px 64px rgba(0, 0, 0, 0.5)'],
} as const;

/** Chart series 1 to 6: success, failed, timeout, cancelled, running, extra. */
const CHART = [
  ['#1F6E80', '#52BDD2'],
  ['#B23A2D', '#EB785B'],
  ['#B0822A', '#F5C55E'],
  ['#89939A', '#5F6B73'],
  ['#5C7EE1', '#8F86F2'],
  ['#592F62', '#B66FAA'],
] as const;

/** Fill and text of initials, picked by name. */
const TINTS = [
  ['#D9EFE6', '#1D5B44', '#143327', '#8FD3B4'],
  ['#E6E2F6', '#4B3F8A', '#272047', '#B7A9F0'],
  ['#FBE6DA', '#8A4318', '#3B2115', '#EFA983'],
  ['#DDEBF8', '#1F5687', '#142C42', '#8FC0EA'],
  ['#F7DFE8', '#8B2C54', '#3B1727', '#EE9DBD'],
  ['#EDEBD2', '#5C551B', '#302D12', '#D3C974'],
] as const;

export type Scheme = 'light' | 'dark';

/** `--hp-*` variables of one scheme. */
export function tokenVariables(scheme: Scheme): Record<`--${string}`, string> {
  const side = scheme === 'light' ? 0 : 1;
  const variables: Record<`--${string}`, string> = {};
  for (const [name, pair] of Object.entries(COLORS)) variables[`--hp-${name}`] = pair[side];
  CHART.forEach((pair, index) => {
    variables[`--hp-chart-${index + 1}`] = pair[side];
  });
  TINTS.forEach((tint, index) => {
    variables[`--hp-tint-${index}`] = tint[side * 2] ?? '';
    variables[`--hp-tint-${index}-text`] = tint[side * 2 + 1] ?? '';
  });
  return variables;
}

export const chartColors = CHART;
