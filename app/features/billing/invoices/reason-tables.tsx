import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { UsageKind } from '#server/services/billing/months/rating-rules.ts';
import { useBillingWords } from '../use-billing-words.ts';
import classes from './invoice-page.module.css';

/** A table in a frame of bounded height. The frame takes the focus, since a keyboard has no other way to scroll it. */
export function ScrollingTable({ label, children }: { label?: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard (WCAG 2.1.1).
    <section className={classes.scroll} tabIndex={0} aria-label={label}>
      <table className={classes.small}>{children}</table>
    </section>
  );
}

/** Figures by name or by day with their sum. */
export function FigureTable(props: {
  label: string;
  of: UsageKind;
  total: string;
  rows: { key: string; name: ReactNode; figure: string }[];
}) {
  const { kinds } = useBillingWords();
  return (
    <ScrollingTable label={`${kinds[props.of]}: ${props.label}`}>
      <thead>
        <tr>
          <th scope="col" colSpan={2}>
            {props.label}
          </th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map(({ key, name, figure }) => (
          <tr key={key}>
            <th scope="row">{name}</th>
            <td className={classes.figure}>{figure}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">
            <Trans>Total</Trans>
          </th>
          <td className={classes.figure}>{props.total}</td>
        </tr>
      </tfoot>
    </ScrollingTable>
  );
}
