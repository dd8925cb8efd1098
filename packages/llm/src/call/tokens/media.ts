import { isObject, isStated, type JsonObject } from '../../json-object.js';

/** What a part of a prompt that is no text may take, in tokens. */
export interface MediaTokens {
  readonly expected: number;
  readonly most: number;
}

/**
 * Images have no more than about 1,600 tokens in most models of OpenAI and Anthropic, whatever they weigh. OpenAI's `low` has 85, and
 * `original` up to 10,000 patches, for which small models charge 1.62 tokens each.
 */
const IMAGE: MediaTokens = { expected: 1600, most: 16_384 };
const LOW_IMAGE: MediaTokens = { expected: 85, most: 16_384 };
const ORIGINAL_IMAGE: MediaTokens = { expected: 10_000, most: 16_384 };

/** A page of a PDF is read as text and as an image. */
const TOKENS_PER_PAGE = 3000;
const BYTES_PER_PAGE = 50_000;
/** Text in a PDF is compressed. */
const MOST_TOKENS_PER_BYTE = 4;

/** Sound has 10 to 30 tokens a second, and 8,000 bytes a second or more. */
const BYTES_PER_TOKEN_OF_SOUND = 1000;

/**
 * What the body only names may be as long as the model's context: a file by its id or address, the history of a stored
 * conversation. An application that knows better says so.
 */
export const UNSEEN: MediaTokens = { expected: 10_000, most: 1_000_000 };

const IMAGES: readonly unknown[] = [
  'image_url',
  'input_image',
  'image',
  'computer_screenshot',
  'image_generation_call',
];
const FILES: readonly unknown[] = ['file', 'input_file', 'document', 'container_upload', 'video_url', 'input_video'];
const SOUNDS: readonly unknown[] = ['input_audio', 'audio_url'];

/** Fields by which a part without a type names a file, a film or a sound. */
const UNTYPED = ['file', 'file_id', 'file_url', 'video_url', 'audio_url', 'input_audio', 'file_data'] as const;

/** Members of Bedrock's parts whose content lies in a `source`. */
const SOURCED = ['document', 'video', 'audio'] as const;

/** Fields that name content which the body does not have. */
const NAMES = ['file_id', 'file_url', 'url', 'fileUri', 'file_uri', 's3Location'] as const;

/** Fields that hold the content of a part, or say where it is. */
export const PAYLOADS: ReadonlySet<string> = new Set([
  'data',
  'bytes',
  'url',
  'image_url',
  'video_url',
  'audio_url',
  'file_data',
  'file_url',
  'file_id',
  'fileUri',
  'file_uri',
  'result',
]);

/** Objects in a part that hold its payload. */
export const CARRIERS: ReadonlySet<string> = new Set([
  'source',
  'file',
  'input_audio',
  'image_url',
  'video_url',
  'audio_url',
  'inlineData',
  'inline_data',
  'fileData',
  'file_data',
  'image',
  'document',
  'video',
  'audio',
]);

/**
 * Returns the tokens of a part by its type; undefined if it is text.
 *
 * @param unseen - returned if the part only names its content
 */
export function mediaTokensOf(part: JsonObject, unseen: MediaTokens): MediaTokens | undefined {
  const { type } = part;
  if (IMAGES.includes(type)) return imageTokens(part);
  if (FILES.includes(type)) return isTextDocument(part) ? undefined : fileTokens(bytesOf(part), unseen);
  if (SOUNDS.includes(type)) return soundTokens(bytesOf(part), unseen);
  if (isReference(part)) return unseen;
  return memberTokens(part, unseen) ?? (isStated(type) ? undefined : untypedTokens(part, unseen));
}

/** Whether a part is an item that the provider has stored, by its id. Its type may be left out. */
function isReference(part: JsonObject): boolean {
  const { type, id } = part;
  if (isStated(type) || !isStated(id)) return type === 'item_reference';
  return Object.keys(part).every((name) => name === 'id' || name === 'type');
}

/** Parts of Google and of Bedrock are named by their member. A type beside it changes nothing for servers that do not know it. */
function memberTokens(part: JsonObject, unseen: MediaTokens): MediaTokens | undefined {
  const inline = part.inlineData ?? part.inline_data;
  if (isObject(inline)) return inlineTokens(inline, bytesOf(part), unseen);
  if (isObject(part.fileData) || isObject(part.file_data)) return unseen;
  if (isObject(part.image)) return IMAGE;
  const sourced = SOURCED.find((name) => isObject(part[name]));
  return sourced && sourcedTokens(part[sourced] as JsonObject, unseen);
}

/** Some servers take a part without a type for what its field says. */
function untypedTokens(part: JsonObject, unseen: MediaTokens): MediaTokens | undefined {
  if (part.image_url !== undefined) return imageTokens(part);
  return UNTYPED.some((field) => part[field] !== undefined) ? unseen : undefined;
}

/** Gemini's parts say what they are by a media type. Films are priced by the second, like the pages of a large file. */
function inlineTokens(inline: JsonObject, bytes: number | undefined, unseen: MediaTokens): MediaTokens {
  const type = inline.mimeType ?? inline.mime_type;
  const kind = typeof type === 'string' ? type : '';
  if (kind.startsWith('image/')) return IMAGE;
  return kind.startsWith('audio/') ? soundTokens(bytes, unseen) : fileTokens(bytes, unseen);
}

/** Bedrock's documents may be plain text, or a list of parts. */
function sourcedTokens(part: JsonObject, unseen: MediaTokens): MediaTokens | undefined {
  const { source } = part;
  const isText = isObject(source) && (source.text !== undefined || source.content !== undefined);
  return isText ? undefined : fileTokens(bytesOf(part), unseen);
}

/** Anthropic's documents may be plain text, or a list of parts. */
function isTextDocument({ type, source }: JsonObject): boolean {
  if (type !== 'document') return false;
  const kind = isObject(source) ? source.type : undefined;
  return kind === 'text' || kind === 'content';
}

function imageTokens({ detail, image_url }: JsonObject): MediaTokens {
  const wanted = detail ?? (isObject(image_url) ? image_url.detail : undefined);
  if (wanted === 'low') return LOW_IMAGE;
  return wanted === 'original' ? ORIGINAL_IMAGE : IMAGE;
}

function fileTokens(bytes: number | undefined, unseen: MediaTokens): MediaTokens {
  if (bytes === undefined) return unseen;
  return {
    expected: Math.ceil(bytes / BYTES_PER_PAGE) * TOKENS_PER_PAGE,
    most: Math.max(TOKENS_PER_PAGE, bytes * MOST_TOKENS_PER_BYTE),
  };
}

function soundTokens(bytes: number | undefined, unseen: MediaTokens): MediaTokens {
  if (bytes === undefined) return unseen;
  return { expected: Math.ceil(bytes / BYTES_PER_TOKEN_OF_SOUND), most: bytes };
}

/** Returns the bytes of a part's content, if the body has it; undefined if the body only names it. */
function bytesOf(part: JsonObject): number | undefined {
  const holders = [part, ...[...CARRIERS].map((name) => part[name])].filter(isObject);
  // Data beside a name may be empty, while the provider reads what is named.
  if (holders.some((holder) => NAMES.some((name) => holder[name] !== undefined))) return undefined;
  for (const holder of holders) {
    const { bytes, data = bytes, file_data: content = data } = holder;
    // Base64 has four characters for three bytes.
    if (typeof content === 'string') return Math.ceil((content.length * 3) / 4);
    if (ArrayBuffer.isView(content)) return content.byteLength;
  }
  return undefined;
}
