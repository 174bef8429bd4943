import { Fragment } from 'react';

/** A domain name that breaks at its dots before it breaks anywhere else; what is copied from it stays whole. */
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
