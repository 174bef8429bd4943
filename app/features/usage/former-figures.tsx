import type { ReactNode } from 'react';
import classes from './former-figures.module.css';

/** Figures that stay in place, dimmed, while those of another range are on their way. */
export function FormerFigures({ isFormer, children }: { isFormer: boolean; children: ReactNode }) {
  return (
    <div className={classes.figures} data-former={isFormer || undefined} aria-busy={isFormer}>
      {children}
    </div>
  );
}
