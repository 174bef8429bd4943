import { useLingui } from '@lingui/react/macro';
import { Children, type ReactNode } from 'react';
import classes from './breadcrumbs.module.css';

/** The location of a page: links to the pages above it (the children), then its own name. */
export function Breadcrumbs({ children, current }: { children: ReactNode; current: ReactNode }) {
  const { t } = useLingui();
  return (
    <nav aria-label={t`Breadcrumb`}>
      <ol className={classes.list}>
        {Children.toArray(children).map((link, index) => (
          // Links have no identity besides their position.
          <li key={String(index)}>{link}</li>
        ))}
        <li aria-current="page" className={classes.current}>
          {current}
        </li>
      </ol>
    </nav>
  );
}
