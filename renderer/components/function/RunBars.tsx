import type { CSSProperties } from 'react';
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
  bars: readonly (RunBar & { failed?: number })[];
  /** The same information as text, for screen readers. */
  label: string;
  height?: number;
}

const LOWEST = 4;
const NO_RUN = 1;
/** A single failure among many runs is still seen. */
const MIN_PART = 2;

/** A bar for a period: its failures, which `failed` counts, are hatched on top of what succeeded. */
export function stackedBar(key: string, succeeded: number, failed: number): RunBar & { failed?: number } {
  const size = succeeded + failed;
  if (failed === 0 || succeeded === 0)
    return { key, look: failed > 0 ? 'failed' : succeeded > 0 ? 'success' : 'none', size };
  return { key, look: 'success', size, failed };
}

/** Past runs as small bars; every run has at least a small bar. */
export function RunBars({ bars, label, height = 20 }: RunBarsProps) {
  const largest = Math.max(...bars.map(({ size }) => size), 1);
  return (
    <span className={`flex at-bottom full ${classes['bars']}`} style={{ height }} role="img" aria-label={label}>
      {bars.map(({ key, look, size, failed = 0 }) => {
        const px = look === 'none' ? NO_RUN : Math.round(LOWEST + ((height - LOWEST) * size) / largest);
        const failedPx = Math.min(Math.max(Math.round((px * failed) / Math.max(size, 1)), MIN_PART), px - MIN_PART);
        const style: CSSProperties = { height: px };
        return failed === 0 ? (
          <i key={key} data-look={look} style={style} />
        ) : (
          <i key={key} data-look="stacked" style={{ ...style, '--failed': `${failedPx}px` } as CSSProperties} />
        );
      })}
    </span>
  );
}
