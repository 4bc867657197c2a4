import classes from './RunBars.module.css';

interface RunBar {
  key: string;
  /** Failed runs are hatched; `none`: a period without runs. */
  look: 'success' | 'failed' | 'running' | 'cancelled' | 'none';
  /** Height relative to the other bars. */
  size: number;
}

interface RunBarsProps {
  /** The oldest first. */
  bars: readonly RunBar[];
  /** The same information as text, for screen readers. */
  label: string;
  height?: number;
}

const LOWEST = 4;
const NO_RUN = 1;

/** Past runs as small bars; every run has at least a small bar. */
export function RunBars({ bars, label, height = 20 }: RunBarsProps) {
  const largest = Math.max(...bars.map(({ size }) => size), 1);
  return (
    <span className={classes['bars']} style={{ height }} role="img" aria-label={label}>
      {bars.map(({ key, look, size }) => (
        <i
          key={key}
          data-look={look}
          style={{ height: look === 'none' ? NO_RUN : LOWEST + ((height - LOWEST) * size) / largest }}
        />
      ))}
    </span>
  );
}
