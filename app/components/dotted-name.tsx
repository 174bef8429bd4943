import { Fragment } from 'react';

/**
 * A domain name that breaks at its dots before it breaks anywhere else; copying it gives the unbroken name.
 */
export function DottedName({ name }: { name: string }) {
  const labels = name.split('.');
  return labels.map((label, index) => (
    <Fragment key={labels.slice(index).join('.')}>
      {index > 0 && <wbr />}
      {index > 0 && '.'}
      {label}
    </Fragment>
  ));
}
