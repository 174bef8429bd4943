import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './usage-tiles.module.css';

/** A number under its name, and a quiet line below it; used in a description list. */
export function UsageTile({ name, children, note }: { name: string; children: string; note?: ReactNode }) {
  return (
    <div className={classes.tile}>
      <dt className={classes.name}>{name}</dt>
      <dd className={classes.figure}>
        <Box component="span" style={{ '--length': children.length }}>
          {children}
        </Box>
      </dd>
      <dd className={classes.note}>{note}</dd>
    </div>
  );
}
