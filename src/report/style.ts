/** The styles of terminal text. The caller passes functions, because report does not know the terminal. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
}

const unstyled = (text: string): string => text;

/** Without styles: for files, pipes and tests. */
export const plain: Style = {
  bold: unstyled,
  dim: unstyled,
  red: unstyled,
  yellow: unstyled,
  green: unstyled,
};
