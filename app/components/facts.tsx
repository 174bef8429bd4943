import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** Short facts next to each other, each under its name; they wrap on a narrow screen. */
export function Facts({ facts }: { facts: { name: string; value: ReactNode }[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map((fact) => (
        <div key={fact.name}>
          <dt className={classes.name}>{fact.name}</dt>
          <dd className={classes.value}>{fact.value}</dd>
        </div>
      ))}
    </dl>
  );
}
