import { Group } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './PageHeader.module.css';

interface PageHeaderProps {
  title: ReactNode;
  /** Beside the title: a count, a badge. */
  aside?: ReactNode;
  /** Under the title. */
  sub?: ReactNode;
  logo?: ReactNode;
  /** Buttons on the right. */
  children?: ReactNode;
}

/** Moves the focus to the heading when a page opens by navigation, so that screen readers announce it. */
export function PageHeader({ title, aside, sub, logo, children }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement?.closest('nav')) {
      heading.current?.focus({ preventScroll: true });
    }
  }, []);
  return (
    <header className={`row wrap rigid ${classes['header']}`}>
      {logo}
      {/* In narrower windows the buttons wrap below. */}
      <div style={{ flex: '1 1 140px', minWidth: 0 }}>
        <div className={`row wrap ${classes['line']}`}>
          <h1 ref={heading} className="cut" tabIndex={-1}>
            {title}
          </h1>
          {aside}
        </div>
        {sub && (
          <Group className="soft note breaks" gap={2} wrap="nowrap">
            {sub}
          </Group>
        )}
      </div>
      {children && <div className={`row wrap ${classes['actions']}`}>{children}</div>}
    </header>
  );
}
