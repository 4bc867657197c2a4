import { useState } from 'react';
import { Link, useLocation } from 'react-router';
import { readRecentScreens } from '../../lib/recent-screens.ts';
import classes from './RecentScreens.module.css';

const MOST = 6;

/** The screens that were open before this one. */
export function RecentScreens() {
  const { pathname, search } = useLocation();
  // As they were when the page opened: this one becomes a recent screen too.
  const [recent] = useState(() =>
    readRecentScreens()
      .filter(({ path, label }) => path !== `${pathname}${search}` && label !== 'Not found')
      .slice(0, MOST),
  );
  if (recent.length === 0) return null;
  return (
    <nav
      aria-label="Recently opened"
      className={classes['recent']}
      style={{ maxWidth: 480, padding: '0 var(--hp-gutter) 32px' }}
    >
      <h2 className="pb-8">Recently opened</h2>
      <ul>
        {recent.map(({ path, label, within }) => (
          <li className="line-above" key={path}>
            <Link to={path}>{label}</Link> {within && <span className="faint">{within}</span>}
          </li>
        ))}
      </ul>
    </nav>
  );
}
