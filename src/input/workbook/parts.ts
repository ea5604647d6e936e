/** The parts of a workbook: which sheets it has, in which members of the archive, and where its styles and strings are. */
import path from 'node:path';
import type { ZipArchive, ZipMember } from '../zip.ts';
import { type Attributes, attribute, readWholeXml, XmlError } from './xml.ts';

export interface Sheet {
  readonly name: string;
  readonly hidden: boolean;
  readonly member: ZipMember;
}

export interface WorkbookParts {
  /** In the order of the tabs. Sheets of charts are left out. */
  readonly sheets: readonly Sheet[];
  readonly styles: ZipMember | undefined;
  readonly strings: ZipMember | undefined;
  /** Whether day 0 is in 1904, as on old Macintoshes. */
  readonly is1904: boolean;
}

interface Relationship {
  readonly type: string;
  readonly target: string;
}

/** Where the main part is if the archive does not say so. */
const USUAL_MAIN = 'xl/workbook.xml';

/** Relationships by id. */
type Relationships = ReadonlyMap<string, Relationship>;

/**
 * Undefined if the archive is no workbook. `binary`: it is one whose parts are not XML (.xlsb).
 *
 * @throws XmlError if a part is missing or damaged, and what the archive throws
 */
export async function findParts(archive: ZipArchive): Promise<WorkbookParts | 'binary' | undefined> {
  const members = new Map(archive.members.map((member) => [member.path.toLowerCase(), member]));
  const memberAt = (target: string): ZipMember | undefined => members.get(target.toLowerCase());
  const root = await readRelationships(archive, memberAt, '');
  const main = [...root.values()].find(({ type }) => type.endsWith('/officeDocument'))?.target ?? USUAL_MAIN;
  if (root.size === 0 && memberAt(main) === undefined) return undefined;
  if (main.toLowerCase().endsWith('.bin')) return 'binary';
  const workbook = await readWorkbook(archive, memberAt(main));
  if (workbook === undefined) return undefined;
  const relationships = await readRelationships(archive, memberAt, main);
  const partOf = (type: string): ZipMember | undefined => {
    const found = [...relationships.values()].find((each) => each.type.endsWith(`/${type}`));
    return found && memberAt(found.target);
  };
  return {
    sheets: workbook.sheets.flatMap(({ id, ...sheet }) => {
      const relationship = relationships.get(id);
      if (relationship !== undefined && !relationship.type.endsWith('/worksheet')) return [];
      const member = relationship && memberAt(relationship.target);
      if (member === undefined) throw new XmlError(`the part of its sheet "${sheet.name}" is missing`);
      return { ...sheet, member };
    }),
    styles: partOf('styles'),
    strings: partOf('sharedStrings'),
    is1904: workbook.is1904,
  };
}

/** The relationships of a part. @param part its path; empty for the archive itself */
async function readRelationships(
  archive: ZipArchive,
  memberAt: (target: string) => ZipMember | undefined,
  part: string,
): Promise<Relationships> {
  const folder = path.posix.dirname(part);
  const member = memberAt(path.posix.join(folder, '_rels', `${path.posix.basename(part)}.rels`));
  const relationships = new Map<string, Relationship>();
  if (member === undefined) return relationships;
  await readWholeXml(archive.read(member), {
    open(name, attributes) {
      const id = attribute(attributes, 'Id');
      const target = attribute(attributes, 'Target');
      if (name !== 'Relationship' || id === undefined || target === undefined) return;
      if (attribute(attributes, 'TargetMode') === 'External') return;
      const absolute = target.startsWith('/') ? target : path.posix.join('/', folder, target);
      relationships.set(id, { type: attribute(attributes, 'Type') ?? '', target: absolute.slice(1) });
    },
  });
  return relationships;
}

/** The sheets that a workbook part lists. Undefined if it is another kind of document. */
async function readWorkbook(archive: ZipArchive, member: ZipMember | undefined) {
  if (member === undefined) throw new XmlError('its main part is missing');
  let root: string | undefined;
  let is1904 = false;
  const sheets: { readonly name: string; readonly hidden: boolean; readonly id: string }[] = [];
  await readWholeXml(archive.read(member), {
    open(name, attributes) {
      root ??= name;
      if (name === 'workbookPr') is1904 = isTrue(attribute(attributes, 'date1904'));
      else if (name === 'sheet') {
        const hidden = (attribute(attributes, 'state') ?? 'visible') !== 'visible';
        sheets.push({ name: attribute(attributes, 'name') ?? '', hidden, id: relationshipId(attributes) });
      }
    },
  });
  return root === 'workbook' ? { sheets, is1904 } : undefined;
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

/** `r:id`, with whatever prefix the part has chosen for the namespace. */
function relationshipId(attributes: Attributes): string {
  const name = Object.keys(attributes).find((each) => each.endsWith(':id'));
  return (name && attribute(attributes, name)) ?? '';
}
