interface Choice {
  value: string;
  label: string;
}

/** Returns choices in the order of a language's alphabet, where people look for them; the one named `first` leads. */
export function sortByLabel(choices: readonly Choice[], locale: string, first?: string): Choice[] {
  const { compare } = new Intl.Collator(locale);
  const rank = ({ value }: Choice) => (value === first ? 0 : 1);
  return choices.toSorted((one, other) => rank(one) - rank(other) || compare(one.label, other.label));
}
