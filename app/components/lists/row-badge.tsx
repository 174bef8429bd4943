import type { ReactNode } from 'react';
import classes from './row-badge.module.css';

/** The colours of a badge. */
export type BadgeColour = 'gray' | 'green' | 'lake' | 'yellow' | 'red';

/**
 * A badge in a row of a list: a plain element, because a component in each row of a long list would be
 * costly.
 */
export function RowBadge(props: { colour: BadgeColour; title?: string; children: ReactNode }) {
  const { colour, title, children } = props;
  return (
    <span className={classes.badge} data-colour={colour} title={title}>
      {children}
    </span>
  );
}
