import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import classes from './operator.module.css';

/** One cause often has hundreds of effects: the first few name it, and what follows the list stays in reach. */
const SHOWN_AT_FIRST = 8;

/** A list of a card: its first entries, and the others on demand. */
export function ShortList<T>(props: {
  label: string;
  entries: readonly T[];
  keyOf: (entry: T) => string;
  children: (entry: T) => ReactNode;
}) {
  const { label, entries, keyOf, children } = props;
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <ul className={classes.list} aria-label={label}>
        {(isWhole ? entries : entries.slice(0, SHOWN_AT_FIRST)).map((entry) => (
          <li key={keyOf(entry)} className={classes.entry}>
            {children(entry)}
          </li>
        ))}
      </ul>
      {entries.length > SHOWN_AT_FIRST && (
        <Button
          variant="subtle"
          size="compact-sm"
          mt="xs"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? <Trans>Show fewer</Trans> : <Trans>Show more</Trans>}
        </Button>
      )}
    </>
  );
}
