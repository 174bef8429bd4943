import type { CSSProperties } from 'react';
import classes from './fitted-figure.module.css';

/** A formatted number on one line: its type shrinks where its place, a container of inline size, is too narrow. */
export function FittedFigure({ children }: { children: string }) {
  const length: CSSProperties & { '--length': number } = { '--length': children.length };
  return (
    <span className={classes.figure} style={length}>
      {children}
    </span>
  );
}
