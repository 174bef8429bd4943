import type { ReactNode } from 'react';
import classes from './stale-figures.module.css';

/** Numbers that stay in place, dimmed, while those of another range are loading. */
export function StaleFigures({ isStale, children }: { isStale: boolean; children: ReactNode }) {
  return (
    <div className={classes.figures} data-stale={isStale || undefined} aria-busy={isStale}>
      {children}
    </div>
  );
}
