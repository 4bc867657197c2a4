import classes from './Welcome.module.css';

const LINES = 11;

/** Ropes on a post: the drawing of the product, below the steps. */
export function MooredRope() {
  return (
    <svg
      className={`fills full ${classes['rope']}`}
      viewBox="0 0 304 208"
      preserveAspectRatio="xMidYMin slice"
      aria-hidden
    >
      <rect x="141" y="0" width="6" height="208" rx="2" />
      {Array.from({ length: LINES }, (_, index) => {
        const top = 20 + index * 17;
        const opacity = 1 - index / (LINES + 1);
        return (
          <g key={top} opacity={opacity}>
            <path d={`M144 ${top}C104 ${top + 58} 32 ${top + 52} -24 ${top + 22}`} />
            <path d={`M144 ${top}C184 ${top + 58} 256 ${top + 52} 328 ${top + 22}`} />
          </g>
        );
      })}
    </svg>
  );
}
