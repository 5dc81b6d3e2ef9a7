# Strings.
{ lib }:
let
  inherit (builtins) stringLength substring replaceStrings head tail length elemAt genList;
in
rec {
  inherit (builtins) concatStringsSep stringLength substring replaceStrings match split;

  lowerChars = stringToCharacters "abcdefghijklmnopqrstuvwxyz";
  upperChars = stringToCharacters "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

  concatStrings = builtins.concatStringsSep "";
  concatMapStrings = f: xs: concatStrings (map f xs);
  concatImapStrings = f: xs: concatStrings (lib.imap1 f xs);
  concatMapStringsSep = separator: f: xs: builtins.concatStringsSep separator (map f xs);
  concatImapStringsSep = separator: f: xs: builtins.concatStringsSep separator (lib.imap1 f xs);
  concatMapAttrsStringSep = separator: f: set:
    builtins.concatStringsSep separator (lib.mapAttrsToList f set);
  concatLines = concatMapStrings (line: line + "\n");
  optionalString = condition: text: if condition then text else "";
  repeatString = n: text: concatStrings (lib.replicate n text);

  makeSearchPath = below: paths: builtins.concatStringsSep ":" (map (path: path + "/" + below) (lib.filter (x: x != null) paths));
  makeBinPath = makeSearchPath "bin";

  hasPrefix = prefix: text: substring 0 (stringLength prefix) text == prefix;
  hasSuffix = suffix: text:
    let
      size = stringLength text;
      suffixSize = stringLength suffix;
    in size >= suffixSize && substring (size - suffixSize) size text == suffix;
  hasInfix = infix: text: builtins.match ".*${escapeRegex infix}.*" "${text}" != null;
  removePrefix = prefix: text:
    if hasPrefix prefix text then substring (stringLength prefix) (-1) text else text;
  removeSuffix = suffix: text:
    if hasSuffix suffix text then substring 0 (stringLength text - stringLength suffix) text else text;

  stringToCharacters = text: genList (n: substring n 1 text) (stringLength text);
  stringAsChars = f: text: concatMapStrings f (stringToCharacters text);
  reverseString = text: concatStrings (lib.reverseList (stringToCharacters text));
  countChar = char: text: lib.count (c: c == char) (stringToCharacters text);

  escape = chars: replaceStrings chars (map (char: "\\${char}") chars);
  escapeRegex = escape (stringToCharacters "\\[{()^$?*+|.");
  escapeShellArg = text: "'${replaceStrings [ "'" ] [ "'\\''" ] (toString text)}'";
  escapeShellArgs = concatMapStringsSep " " escapeShellArg;
  escapeXML = replaceStrings [ "\"" "'" "<" ">" "&" ] [ "&quot;" "&apos;" "&lt;" "&gt;" "&amp;" ];
  escapeNixString = text: escape [ "$" ] (builtins.toJSON text);
  isValidIdentifier = text: builtins.match "[a-zA-Z_][a-zA-Z0-9_'-]*" text != null;
  escapeNixIdentifier = text: if isValidIdentifier text then text else escapeNixString text;
  isValidPosixName = name: builtins.match "[a-zA-Z_][a-zA-Z0-9_]*" name != null;
  toShellVars = vars: concatMapAttrsStringSep "\n"
    (name: value: lib.throwIfNot (isValidPosixName name) "not a variable: ${name}" "${name}=${escapeShellArg value}")
    vars;

  toLower = replaceStrings upperChars lowerChars;
  toUpper = replaceStrings lowerChars upperChars;
  capitalize = text: toUpper (substring 0 1 text) + substring 1 (-1) text;
  camelToSnake = stringAsChars (char: if lib.elem char upperChars then "_" + toLower char else char);
  snakeToCamel = text:
    let words = splitString "_" text;
    in head words + concatMapStrings capitalize (tail words);

  splitString = separator: text:
    lib.filter builtins.isString (builtins.split (escapeRegex separator) (toString text));
  words = text: lib.filter (word: builtins.isString word && word != "") (builtins.split "[[:space:]]+" text);
  lines = text: let parts = splitString "\n" text; in if lib.last parts == "" then lib.init parts else parts;
  trim = text:
    let found = builtins.match "[[:space:]]*(.*[^[:space:]])[[:space:]]*" text;
    in if found == null then "" else head found;
  indent = n: text: concatMapStringsSep "\n" (line: optionalString (line != "") (repeatString n " ") + line) (splitString "\n" text);

  fixedWidthString = width: filler: text:
    let missing = width - stringLength text;
    in assert missing >= 0; repeatString missing filler + text;
  fixedWidthNumber = width: number: fixedWidthString width "0" (toString number);
  padRight = width: text: text + repeatString (lib.max 0 (width - stringLength text)) " ";

  toInt = text:
    let
      trimmed = trim text;
      number = builtins.fromJSON trimmed;
    in
      if builtins.match "-?(0|[1-9][0-9]*)" trimmed == null
      then throw "toInt: could not convert ${escapeNixString text}"
      else number;
  toIntBase10 = text:
    let stripped = builtins.match "0*([0-9]+)" text;
    in if stripped == null then throw "toIntBase10: ${text}" else builtins.fromJSON (head stripped);

  ascii = genList (n: n) 128;
  printable = lib.range 32 126;
  charTable = lib.listToAttrs (map
    (n: { name = builtins.fromJSON "\"\\u${fixedWidthString 4 "0" (lib.toHex n)}\""; value = n; })
    printable);
  charToInt = char: charTable.${char} or (throw "charToInt: no printable ASCII character");
  fromHex = text:
    let value = char: lib.indexOf (toLower char) lib.hexDigits;
    in builtins.foldl' (acc: char: acc * 16 + value char) 0 (stringToCharacters text);
  caesar = shift: stringAsChars (char:
    let
      rotate = alphabet: elemAt alphabet (lib.mod (lib.indexOf char alphabet + shift) 26);
    in
      if lib.elem char lowerChars then rotate lowerChars
      else if lib.elem char upperChars then rotate upperChars
      else char);

  # Edit distance, by rows.
  levenshtein = a: b:
    let
      as = stringToCharacters a;
      bs = stringToCharacters b;
      firstRow = lib.range 0 (length bs);
      nextRow = previous: row: char:
        builtins.foldl'
          (acc: column:
            let
              cost = if elemAt bs (column - 1) == char then 0 else 1;
              best = lib.minimum [
                (elemAt previous column + 1)
                (lib.last acc + 1)
                (elemAt previous (column - 1) + cost)
              ];
            in acc ++ [ best ])
          [ row ] (lib.range 1 (length bs));
      rows = builtins.foldl'
        (state: char: { row = state.row + 1; cells = nextRow state.cells (state.row + 1) char; })
        { row = 0; cells = firstRow; } as;
    in lib.last rows.cells;
  nearest = name: candidates:
    let
      scored = map (candidate: { inherit candidate; distance = levenshtein name candidate; }) candidates;
      ordered = lib.sortOn (each: each.distance) scored;
    in
      if ordered == [ ] || (head ordered).distance > 1 + stringLength name / 3 then null
      else (head ordered).candidate;

  versionOlder = a: b: builtins.compareVersions b a == 1;
  versionAtLeast = a: b: !(versionOlder a b);
  getName = value: (builtins.parseDrvName value).name;
  getVersion = value: (builtins.parseDrvName value).version;
  majorVersion = version: head (builtins.splitVersion version);
  majorMinor = version: builtins.concatStringsSep "." (lib.take 2 (builtins.splitVersion version));

  # "${name}" in a text, without Nix's own interpolation.
  template = variables: replaceStrings
    (map (name: "@${name}@") (builtins.attrNames variables))
    (map toString (builtins.attrValues variables));
}
