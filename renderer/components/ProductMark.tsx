/** Two posts and the rope between them. */
export function ProductMark({ size = 24, fill = 'var(--hp-accent)' }: { size?: number; fill?: string }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden>
      <rect width="24" height="24" rx="6" fill={fill} />
      <g fill="none" stroke="var(--hp-on-accent)" strokeWidth="2.6" strokeLinecap="round">
        <path d="M7.5 6v12M16.5 6v12" />
        <path d="M7.5 9.5c1.2 4.6 7.8 4.6 9 0" strokeWidth="2.2" />
      </g>
    </svg>
  );
}
