import type { ReactNode } from 'react';
import { useShortList } from '../../../components/lists/use-short-list.tsx';
import classes from '../operator.module.css';

/** One cause often has hundreds of effects: the first few name it. */
const SHOWN_AT_FIRST = 8;

/** A list of a card: its first entries, and the others on demand. */
export function ShortList<T>(props: {
  label: string;
  entries: readonly T[];
  keyOf: (entry: T) => string;
  children: (entry: T) => ReactNode;
}) {
  const { label, entries, keyOf, children } = props;
  const { shown, toggle } = useShortList(entries, SHOWN_AT_FIRST);
  return (
    <>
      <ul className={classes.list} aria-label={label}>
        {shown.map((entry) => (
          <li key={keyOf(entry)} className={classes.entry}>
            {children(entry)}
          </li>
        ))}
      </ul>
      {toggle}
    </>
  );
}
