import { Box, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Sparkline } from '../chart/sparkline.tsx';
import classes from './figure-lines.module.css';

/** A number in words, and its days as a line. */
export interface FigureLine {
  label: string;
  value: string;
  /** The comparison; its space is kept when there is none. */
  note?: ReactNode;
  values: readonly (number | null)[];
  /** The top of the drawing; the highest value if omitted. */
  max?: number | undefined;
}

/** Numbers next to each other, each with its line; the last day is not over yet. */
export function FigureLines({ figures }: { figures: readonly FigureLine[] }) {
  return (
    <div className={classes.place}>
      <dl className={classes.figures}>
        {figures.map(({ label, value, note, values, max }) => (
          <div key={label} className={classes.figure}>
            <dt className={classes.label}>{label}</dt>
            <dd className={classes.value}>
              <Box component="span" style={{ '--length': value.length }}>
                {value}
              </Box>
            </dd>
            <dd className={classes.note}>{note}</dd>
            <dd className={classes.line} aria-hidden>
              <Sparkline values={values} max={max} isLastPartial />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** Numbers that are loading. */
export function FigureLinesSkeleton({ names }: { names: readonly string[] }) {
  return (
    <div className={classes.place}>
      <div className={classes.figures}>
        {names.map((name) => (
          <div key={name} className={classes.figure}>
            <div className={classes.label}>
              <Skeleton height={12} width={80} my={4} />
            </div>
            <div className={classes.value}>
              <Skeleton height={22} width={96} my={5} />
            </div>
            <div className={classes.note}>
              <Skeleton height={10} width={64} my={4} />
            </div>
            <div className={classes.line}>
              <Skeleton height={32} />
            </div>
          </div>
        ))}
      </div>
    </div>
  );
}
