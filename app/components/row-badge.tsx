import type { ReactNode } from 'react';
import classes from './row-badge.module.css';

/** What a badge may mean by its colour. */
export type BadgeColour = 'gray' | 'green' | 'lake' | 'yellow' | 'red';

/** A badge in a row of a list: a plain element, since a list of many would pay for a component in each row. */
export function RowBadge(props: { colour: BadgeColour; title?: string; children: ReactNode }) {
  const { colour, title, children } = props;
  return (
    <span className={classes.badge} data-colour={colour} title={title}>
      {children}
    </span>
  );
}
