/// The files of the parsing suite of N. Seriot, "Parsing JSON is a Minefield" (JSONTestSuite,
/// folder `test_parsing`), with those that later versions have dropped or added.
enum ParsingSuite {
  /// The content of a file.
  struct Text: Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    let bytes: [UInt8]

    init(stringLiteral text: String) { bytes = Array(text.utf8) }

    init(arrayLiteral bytes: UInt8...) { self.bytes = bytes }

    init(repeating text: String, _ count: Int) {
      bytes = Array(String(repeating: text, count: count).utf8)
    }

    init(nested depth: Int) {
      bytes =
        Array(repeating: UInt8(ascii: "["), count: depth)
        + Array(repeating: UInt8(ascii: "]"), count: depth)
    }
  }

  /// A file that must be refused.
  struct Refused: Sendable {
    let name: String
    let text: Text
    let reason: String
    /// Where the reason is, in bytes.
    let offset: Int
  }

  typealias File = (name: String, text: Text)

  /// Those that follow the grammar.
  static let accepted: [File] = [
    ("y_array_arraysWithSpaces", "[[]   ]"),
    ("y_array_empty", "[]"),
    ("y_array_empty-string", #"[""]"#),
    ("y_array_ending_with_newline", "[\"a\"]\n"),
    ("y_array_false", "[false]"),
    ("y_array_heterogeneous", #"[null, 1, "1", {}]"#),
    ("y_array_null", "[null]"),
    ("y_array_with_1_and_newline", "[1\n]"),
    ("y_array_with_leading_space", " [1]"),
    ("y_array_with_several_null", "[1,null,null,null,2]"),
    ("y_array_with_trailing_space", "[2] "),
    ("y_number", "[123e65]"),
    ("y_number_0e+1", "[0e+1]"),
    ("y_number_0e1", "[0e1]"),
    ("y_number_after_space", "[ 4]"),
    (
      "y_number_double_close_to_zero",
      "[-0.000000000000000000000000000000000000000000000000000000000000000000000000000001]\n"
    ),
    ("y_number_int_with_exp", "[20e1]"),
    ("y_number_minus_zero", "[-0]"),
    ("y_number_negative_int", "[-123]"),
    ("y_number_negative_one", "[-1]"),
    ("y_number_negative_zero", "[-0]"),
    ("y_number_real_capital_e", "[1E22]"),
    ("y_number_real_capital_e_neg_exp", "[1E-2]"),
    ("y_number_real_capital_e_pos_exp", "[1E+2]"),
    ("y_number_real_exponent", "[123e45]"),
    ("y_number_real_fraction_exponent", "[123.456e78]"),
    ("y_number_real_neg_exp", "[1e-2]"),
    ("y_number_real_pos_exponent", "[1e+2]"),
    ("y_number_simple_int", "[123]"),
    ("y_number_simple_real", "[123.456789]"),
    ("y_object", #"{"asd":"sdf", "dfg":"fgh"}"#),
    ("y_object_basic", #"{"asd":"sdf"}"#),
    ("y_object_duplicated_key", #"{"a":"b","a":"c"}"#),
    ("y_object_duplicated_key_and_value", #"{"a":"b","a":"b"}"#),
    ("y_object_empty", "{}"),
    ("y_object_empty_key", #"{"":0}"#),
    ("y_object_escaped_null_in_key", #"{"foo\u0000bar": 42}"#),
    ("y_object_extreme_numbers", #"{ "min": -1.0e+28, "max": 1.0e+28 }"#),
    (
      "y_object_long_strings",
      #"{"x":[{"id": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}], "id": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#
    ),
    ("y_object_simple", #"{"a":[]}"#),
    (
      "y_object_string_unicode",
      #"{"title":"\u041f\u043e\u043b\u0442\u043e\u0440\u0430 \u0417\u0435\u043c\u043b\u0435\u043a\u043e\u043f\u0430" }"#
    ),
    ("y_object_with_newlines", "{\n\"a\": \"b\"\n}"),
    ("y_string_1_2_3_bytes_UTF-8_sequences", #"["\u0060\u012a\u12AB"]"#),
    ("y_string_accepted_surrogate_pair", #"["\uD801\udc37"]"#),
    ("y_string_accepted_surrogate_pairs", #"["\ud83d\ude39\ud83d\udc8d"]"#),
    ("y_string_allowed_escapes", #"["\"\\\/\b\f\n\r\t"]"#),
    ("y_string_backslash_and_u_escaped_zero", #"["\\u0000"]"#),
    ("y_string_backslash_doublequotes", #"["\""]"#),
    ("y_string_comments", #"["a/*b*/c/*d//e"]"#),
    ("y_string_double_escape_a", #"["\\a"]"#),
    ("y_string_double_escape_n", #"["\\n"]"#),
    ("y_string_escaped_control_character", #"["\u0012"]"#),
    ("y_string_escaped_noncharacter", #"["\uFFFF"]"#),
    ("y_string_in_array", #"["asd"]"#),
    ("y_string_in_array_with_leading_space", #"[ "asd"]"#),
    ("y_string_last_surrogates_1_and_2", #"["\uDBFF\uDFFF"]"#),
    ("y_string_nbsp_uescaped", #"["new\u00A0line"]"#),
    ("y_string_nonCharacterInUTF-8_U+10FFFF", "[\"\u{10FFFF}\"]"),
    ("y_string_nonCharacterInUTF-8_U+FFFF", "[\"\u{FFFF}\"]"),
    ("y_string_null_escape", #"["\u0000"]"#),
    ("y_string_one-byte-utf-8", #"["\u002c"]"#),
    ("y_string_pi", #"["π"]"#),
    ("y_string_reservedCharacterInUTF-8_U+1BFFF", "[\"\u{1BFFF}\"]"),
    ("y_string_simple_ascii", #"["asd "]"#),
    ("y_string_space", #"" ""#),
    ("y_string_surrogates_U+1D11E_MUSICAL_SYMBOL_G_CLEF", #"["\uD834\uDd1e"]"#),
    ("y_string_three-byte-utf-8", #"["\u0821"]"#),
    ("y_string_two-byte-utf-8", #"["\u0123"]"#),
    ("y_string_u+2028_line_sep", "[\"\u{2028}\"]"),
    ("y_string_u+2029_par_sep", "[\"\u{2029}\"]"),
    ("y_string_uEscape", #"["\u0061\u30af\u30EA\u30b9"]"#),
    ("y_string_uescaped_newline", #"["new\u000Aline"]"#),
    ("y_string_unescaped_char_delete", "[\"\u{7F}\"]"),
    ("y_string_unicode", #"["\uA66D"]"#),
    ("y_string_unicodeEscapedBackslash", #"["\u005C"]"#),
    ("y_string_unicode_2", #"["⍂㈴⍂"]"#),
    ("y_string_unicode_U+10FFFE_nonchar", #"["\uDBFF\uDFFE"]"#),
    ("y_string_unicode_U+1FFFE_nonchar", #"["\uD83F\uDFFE"]"#),
    ("y_string_unicode_U+200B_ZERO_WIDTH_SPACE", #"["\u200B"]"#),
    ("y_string_unicode_U+2064_invisible_plus", #"["\u2064"]"#),
    ("y_string_unicode_U+FDD0_nonchar", #"["\uFDD0"]"#),
    ("y_string_unicode_U+FFFE_nonchar", #"["\uFFFE"]"#),
    ("y_string_unicode_escaped_double_quote", #"["\u0022"]"#),
    ("y_string_utf8", "[\"€\u{1D11E}\"]"),
    ("y_string_with_del_character", "[\"a\u{7F}a\"]"),
    ("y_structure_lonely_false", "false"),
    ("y_structure_lonely_int", "42"),
    ("y_structure_lonely_negative_real", "-0.1"),
    ("y_structure_lonely_null", "null"),
    ("y_structure_lonely_string", #""asd""#),
    ("y_structure_lonely_true", "true"),
    ("y_structure_string_empty", #""""#),
    ("y_structure_trailing_newline", "[\"a\"]\n"),
    ("y_structure_true_in_array", "[true]"),
    ("y_structure_whitespace_array", " [] "),
  ]

  /// Those about which parsers may think as they like, and that are read here: UTF-16, a mark of
  /// UTF-8, large numbers that are no integers of 64 bits, 500 levels.
  static let decodable: [File] = [
    ("i_number_too_big_neg_int", "[-123123123123123123123123123123]"),
    ("i_number_too_big_pos_int", "[100000000000000000000]"),
    ("i_number_very_big_negative_int", "[-237462374673276894279832749832423479823246327846]"),
    (
      "i_string_UTF-16LE_with_BOM",
      [0xFF, 0xFE, 0x5B, 0x00, 0x22, 0x00, 0xE9, 0x00, 0x22, 0x00, 0x5D, 0x00]
    ),
    ("i_string_utf16BE_no_BOM", [0x00, 0x5B, 0x00, 0x22, 0x00, 0xE9, 0x00, 0x22, 0x00, 0x5D]),
    ("i_string_utf16LE_no_BOM", [0x5B, 0x00, 0x22, 0x00, 0xE9, 0x00, 0x22, 0x00, 0x5D, 0x00]),
    ("i_structure_500_nested_arrays", Text(nested: 500)),
    ("i_structure_UTF-8_BOM_empty_object", [0xEF, 0xBB, 0xBF, 0x7B, 0x7D]),
  ]

  /// Those that have a number without a `Double`.
  static let outOfRange: [File] = [
    ("i_number_double_huge_neg_exp", "[123.456e-789]"),
    (
      "i_number_huge_exp",
      "[0.4e00669999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999969999999006]"
    ),
    ("i_number_neg_int_huge_exp", "[-1e+9999]"),
    ("i_number_pos_double_huge_exp", "[1.5e+9999]"),
    ("i_number_real_neg_overflow", "[-123123e100000]"),
    ("i_number_real_pos_overflow", "[123123e100000]"),
    ("i_number_real_underflow", "[123e-10000000]"),
  ]

  /// Those that break the grammar, by what is wrong with them; and those with half a surrogate
  /// pair, or bytes that aren't UTF-8, about which parsers may think as they like.
  static let refused: [Refused] = refusals.flatMap { reason, files in
    files.map { Refused(name: $0.name, text: $0.text, reason: reason, offset: $0.offset) }
  }

  private typealias Refusal = (name: String, text: Text, offset: Int)

  private static let refusals: [(reason: String, files: [Refusal])] = [
    ("a comma has no member behind it", lastCommaInObject),
    ("a comma has no value behind it", lastCommaInArray),
    ("a name in quotes is expected", noName),
    ("a number has a leading zero", leadingZero),
    ("a number lacks a digit", noDigit),
    ("a string doesn't end", noEndQuote),
    ("a string has a control character that isn't escaped", controlCharacter),
    ("a string has an unknown escape", unknownEscape),
    ("a value is expected", noValue),
    ("an escape has half of a surrogate pair", halfPair),
    ("an escape “\\u” needs four hexadecimal digits", noHexadecimal),
    ("the text ends too early", noEnd),
    ("the text is empty", empty),
    ("the text isn't valid UTF-8", noUTF8),
    ("there is more behind the value", moreBehind),
    ("values are nested deeper than 512", tooDeep),
    ("“,” or “]” is expected", noCommaInArray),
    ("“,” or “}” is expected", noCommaInObject),
    ("“:” is expected behind a name", noColon),
  ]
}

extension ParsingSuite {
  private static let lastCommaInObject: [Refusal] = [
    ("n_object_trailing_comma", #"{"id":0,}"#, 8)
  ]

  private static let lastCommaInArray: [Refusal] = [
    ("n_array_extra_comma", #"["",]"#, 4),
    ("n_array_number_and_comma", "[1,]", 3),
  ]

  private static let noName: [Refusal] = [
    ("n_object_bracket_key", "{[: \"x\"}\n", 1),
    ("n_object_emoji", "{\u{1F1E8}\u{1F1ED}}", 1),
    ("n_object_key_with_single_quotes", "{key: 'value'}", 1),
    ("n_object_missing_key", #"{:"b"}"#, 1),
    ("n_object_non_string_key", "{1:1}", 1),
    ("n_object_non_string_key_but_huge_number_instead", "{9999E9999:1}", 1),
    ("n_object_repeated_null_null", "{null:null,null:null}", 1),
    ("n_object_several_trailing_commas", #"{"id":0,,,,,}"#, 8),
    ("n_object_single_quote", "{'a':0}", 1),
    ("n_object_two_commas_in_a_row", #"{"a":"b",,"c":"d"}"#, 9),
    ("n_object_unquoted_key", #"{a: "b"}"#, 1),
    ("n_object_unquoted_key_start", #"{Xx": 1}"#, 1),
    ("n_structure_open_object_close_array", "{]", 1),
    ("n_structure_open_object_comma", "{,", 1),
    ("n_structure_open_object_open_array", "{[", 1),
    ("n_structure_open_object_string_with_apostrophes", "{'a'", 1),
  ]

  private static let leadingZero: [Refusal] = [
    ("n_number_-00.0", "[-00.0]", 1),
    ("n_number_-00e0", "[-00e0]", 1),
    ("n_number_-01", "[-01]", 1),
    ("n_number_00.0", "[00.0]", 1),
    ("n_number_00e0", "[00e0]", 1),
    ("n_number_neg_int_starting_with_zero", "[-012]", 1),
    ("n_number_with_leading_zero", "[012]", 1),
  ]

  private static let noDigit: [Refusal] = [
    ("n_array_just_minus", "[-]", 2),
    ("n_number_-2.", "[-2.]", 4),
    ("n_number_-NaN", "[-NaN]", 2),
    ("n_number_0.3e", "[0.3e]", 5),
    ("n_number_0.3e+", "[0.3e+]", 6),
    ("n_number_0.e1", "[0.e1]", 3),
    ("n_number_0_capital_E", "[0E]", 3),
    ("n_number_0_capital_E+", "[0E+]", 4),
    ("n_number_0e", "[0e]", 3),
    ("n_number_0e+", "[0e+]", 4),
    ("n_number_1.0e", "[1.0e]", 5),
    ("n_number_1.0e+", "[1.0e+]", 6),
    ("n_number_1.0e-", "[1.0e-]", 6),
    ("n_number_1eE2", "[1eE2]", 3),
    ("n_number_2.e+3", "[2.e+3]", 3),
    ("n_number_2.e-3", "[2.e-3]", 3),
    ("n_number_2.e3", "[2.e3]", 3),
    ("n_number_9.e+", "[9.e+]", 3),
    ("n_number_invalid+-", "[0e+-1]", 4),
    ("n_number_minus_infinity", "[-Infinity]", 2),
    ("n_number_minus_sign_with_trailing_garbage", "[-foo]", 2),
    ("n_number_minus_space_1", "[- 1]", 2),
    ("n_number_multi_minus", "---123", 1),
    ("n_number_neg_real_without_int_part", "[-.123]", 2),
    ("n_number_real_garbage_after_e", "[1ea]", 3),
    ("n_number_real_with_invalid_utf8_after_e", [0x5B, 0x31, 0x65, 0xE5, 0x5D], 3),
    ("n_number_real_without_fractional_part", "[1.]", 3),
  ]

  private static let noEndQuote: [Refusal] = [
    ("n_object_unterminated-value", #"{"a":"a"#, 5),
    ("n_string_escaped_backslash_bad", #"["\\\"]"#, 1),
    ("n_string_incomplete_escape", #"["\"]"#, 1),
    ("n_string_single_doublequote", #"""#, 0),
    ("n_string_start_escape_unclosed", #"["\"#, 1),
    ("n_structure_array_with_unclosed_string", #"["asd]"#, 1),
    ("n_structure_open_array_open_string", #"["a"#, 1),
    ("n_structure_open_object_open_string", #"{"a"#, 1),
  ]

  private static let controlCharacter: [Refusal] = [
    ("n_array_spaces_vertical_tab_formfeed", "[\"\u{B}a\"\\f]", 2),
    ("n_string_unescaped_ctrl_char", "[\"a\u{0}a\"]", 3),
    ("n_string_unescaped_newline", "[\"new\nline\"]", 5),
    ("n_string_unescaped_tab", "[\"\t\"]", 2),
  ]

  private static let unknownEscape: [Refusal] = [
    ("n_string_backslash_00", "[\"\\\u{0}\"]", 2),
    ("n_string_escape_x", #"["\x00"]"#, 2),
    ("n_string_escaped_ctrl_char_tab", "[\"\\\t\"]", 2),
    ("n_string_escaped_emoji", "[\"\\\u{1F300}\"]", 2),
    ("n_string_invalid_backslash_esc", #"["\a"]"#, 2),
    ("n_string_invalid_utf8_after_escape", [0x5B, 0x22, 0x5C, 0xE5, 0x22, 0x5D], 2),
    ("n_string_octal_escape", "[\"\\012\"]\n", 2),
    ("n_string_unicode_CapitalU", #""\UA66D""#, 1),
    ("n_structure_open_open", #"["\{["\{["\{["\{"#, 2),
  ]

  private static let noValue: [Refusal] = [
    ("n_array_a_invalid_utf8", [0x5B, 0x61, 0xE5, 0x5D], 1),
    ("n_array_comma_and_number", "[,1]", 1),
    ("n_array_double_comma", "[1,,2]", 3),
    ("n_array_double_extra_comma", #"["x",,]"#, 5),
    ("n_array_incomplete_invalid_value", "[x", 1),
    ("n_array_invalid_utf8", [0x5B, 0xFF, 0x5D], 1),
    ("n_array_just_comma", "[,]", 1),
    ("n_array_missing_value", #"[   , ""]"#, 4),
    ("n_array_number_and_several_commas", "[1,,]", 3),
    ("n_array_star_inside", "[*]", 1),
    ("n_incomplete_false", "[fals]", 1),
    ("n_incomplete_null", "[nul]", 1),
    ("n_incomplete_true", "[tru]", 1),
    ("n_number_++", "[++1234]", 1),
    ("n_number_+1", "[+1]", 1),
    ("n_number_+Inf", "[+Inf]", 1),
    ("n_number_.-1", "[.-1]", 1),
    ("n_number_.2e-3", "[.2e-3]", 1),
    ("n_number_Inf", "[Inf]", 1),
    ("n_number_NaN", "[NaN]", 1),
    ("n_number_U+FF11_fullwidth_digit_one", "[\u{FF11}]", 1),
    ("n_number_infinity", "[Infinity]", 1),
    ("n_number_preceding_char", "x12345", 0),
    ("n_number_starting_with_dot", "[.123]", 1),
    ("n_object_bad_value", #"["x", truth]"#, 6),
    ("n_object_double_colon", #"{"x"::"b"}"#, 5),
    ("n_string_accentuated_char_no_quotes", "[é]", 1),
    ("n_string_leading_uescaped_thinspace", #"[\u0020"asd"]"#, 1),
    ("n_string_no_quotes_with_bad_escape", #"[\n]"#, 1),
    ("n_string_single_quote", "['single quote']", 1),
    ("n_string_single_string_no_double_quotes", "abc", 0),
    ("n_structure_U+2060_word_joined", "[\u{2060}]", 1),
    ("n_structure_angle_bracket_.", "<.>", 0),
    ("n_structure_angle_bracket_null", "[<null>]", 1),
    ("n_structure_ascii-unicode-identifier", "aå", 0),
    ("n_structure_capitalized_True", "[True]", 1),
    ("n_structure_end_array", "]", 0),
    ("n_structure_incomplete_UTF8_BOM", [0xEF, 0xBB, 0x7B, 0x7D], 0),
    ("n_structure_lone-invalid-utf-8", [0xE5], 0),
    ("n_structure_null-byte-outside-string", "[\u{0}]", 1),
    ("n_structure_object_with_comment", #"{"a":/*comment*/"b"}"#, 5),
    ("n_structure_open_array_apostrophe", "['", 1),
    ("n_structure_open_array_comma", "[,", 1),
    ("n_structure_single_eacute", [0xE9], 0),
    ("n_structure_single_star", "*", 0),
    ("n_structure_uescaped_LF_before_string", #"[\u000A""]"#, 1),
    ("n_structure_unclosed_array_partial_null", "[ false, nul", 9),
    ("n_structure_unclosed_array_unfinished_false", "[ true, fals", 8),
    ("n_structure_unclosed_array_unfinished_true", "[ false, tru", 9),
    ("n_structure_unicode-identifier", "å", 0),
    ("n_structure_whitespace_U+2060_word_joiner", "[\u{2060}]", 1),
    ("n_structure_whitespace_formfeed", "[\u{C}]", 1),
  ]

  private static let halfPair: [Refusal] = [
    ("i_object_key_lone_2nd_surrogate", #"{"\uDFAA":0}"#, 2),
    ("i_string_1st_surrogate_but_2nd_missing", #"["\uDADA"]"#, 2),
    ("i_string_1st_valid_surrogate_2nd_invalid", #"["\uD888\u1234"]"#, 2),
    ("i_string_incomplete_surrogate_and_escape_valid", #"["\uD800\n"]"#, 2),
    ("i_string_incomplete_surrogate_pair", #"["\uDd1ea"]"#, 2),
    ("i_string_incomplete_surrogates_escape_valid", #"["\uD800\uD800\n"]"#, 2),
    ("i_string_invalid_lonely_surrogate", #"["\ud800"]"#, 2),
    ("i_string_invalid_surrogate", #"["\ud800abc"]"#, 2),
    ("i_string_inverted_surrogates_U+1D11E", #"["\uDd1e\uD834"]"#, 2),
    ("i_string_lone_second_surrogate", #"["\uDFAA"]"#, 2),
    ("n_string_1_surrogate_then_escape", #"["\uD800\"]"#, 2),
    ("n_string_1_surrogate_then_escape_u", #"["\uD800\u"]"#, 2),
    ("n_string_1_surrogate_then_escape_u1", #"["\uD800\u1"]"#, 2),
    ("n_string_1_surrogate_then_escape_u1x", #"["\uD800\u1x"]"#, 2),
    ("n_string_incomplete_surrogate", #"["\uD834\uDd"]"#, 2),
    ("n_string_incomplete_surrogate_escape_invalid", #"["\uD800\uD800\x"]"#, 2),
  ]

  private static let noHexadecimal: [Refusal] = [
    ("n_string_incomplete_escaped_character", #"["\u00A"]"#, 2),
    ("n_string_invalid-utf-8-in-escape", [0x5B, 0x22, 0x5C, 0x75, 0xE5, 0x22, 0x5D], 2),
    ("n_string_invalid_unicode_escape", #"["\uqqqq"]"#, 2),
  ]

  private static let noEnd: [Refusal] = [
    ("n_array_incomplete", #"["x""#, 4),
    ("n_array_newlines_unclosed", "[\"a\",\n4\n,1,", 11),
    ("n_array_unclosed", #"["""#, 3),
    ("n_array_unclosed_trailing_comma", "[1,", 3),
    ("n_array_unclosed_with_new_lines", "[1,\n1\n,1", 8),
    ("n_array_unclosed_with_object_inside", "[{}", 3),
    ("n_object_missing_value", #"{"a":"#, 5),
    ("n_object_no-colon", #"{"a""#, 4),
    ("n_single_space", " ", 1),
    ("n_structure_UTF8_BOM_no_data", [0xEF, 0xBB, 0xBF], 3),
    ("n_structure_comma_instead_of_closing_brace", #"{"x": true,"#, 11),
    ("n_structure_lone-open-bracket", "[", 1),
    ("n_structure_object_unclosed_no_value", #"{"":"#, 4),
    ("n_structure_open_array_open_object", "[{", 2),
    ("n_structure_open_array_string", #"["a""#, 4),
    ("n_structure_open_object", "{", 1),
    ("n_structure_unclosed_array", "[1", 2),
    ("n_structure_unclosed_object", #"{"asd":"asd""#, 12),
  ]

  private static let empty: [Refusal] = [
    ("n_structure_no_data", "", 0)
  ]

  private static let noUTF8: [Refusal] = [
    (
      "i_string_UTF-8_invalid_sequence",
      [0x5B, 0x22, 0xE6, 0x97, 0xA5, 0xD1, 0x88, 0xFA, 0x22, 0x5D], 7
    ),
    ("i_string_UTF8_surrogate_U+D800", [0x5B, 0x22, 0xED, 0xA0, 0x80, 0x22, 0x5D], 2),
    ("i_string_invalid_utf-8", [0x5B, 0x22, 0xFF, 0x22, 0x5D], 2),
    ("i_string_iso_latin_1", [0x5B, 0x22, 0xE9, 0x22, 0x5D], 2),
    ("i_string_lone_utf8_continuation_byte", [0x5B, 0x22, 0x81, 0x22, 0x5D], 2),
    ("i_string_not_in_unicode_range", [0x5B, 0x22, 0xF4, 0xBF, 0xBF, 0xBF, 0x22, 0x5D], 2),
    ("i_string_overlong_sequence_2_bytes", [0x5B, 0x22, 0xC0, 0xAF, 0x22, 0x5D], 2),
    (
      "i_string_overlong_sequence_6_bytes",
      [0x5B, 0x22, 0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF, 0x22, 0x5D], 2
    ),
    (
      "i_string_overlong_sequence_6_bytes_null",
      [0x5B, 0x22, 0xFC, 0x80, 0x80, 0x80, 0x80, 0x80, 0x22, 0x5D], 2
    ),
    ("i_string_truncated-utf-8", [0x5B, 0x22, 0xE0, 0xFF, 0x22, 0x5D], 2),
    (
      "n_object_lone_continuation_byte_in_key_and_trailing_comma",
      [0x7B, 0x22, 0xB9, 0x22, 0x3A, 0x22, 0x30, 0x22, 0x2C, 0x7D], 2
    ),
  ]

  private static let moreBehind: [Refusal] = [
    ("n_array_comma_after_close", #"[""],"#, 4),
    ("n_array_extra_close", #"["x"]]"#, 5),
    ("n_multidigit_number_then_00", "123\u{0}", 3),
    ("n_object_trailing_comment", #"{"a":"b"}/**/"#, 9),
    ("n_object_trailing_comment_open", #"{"a":"b"}/**//"#, 9),
    ("n_object_trailing_comment_slash_open", #"{"a":"b"}//"#, 9),
    ("n_object_trailing_comment_slash_open_incomplete", #"{"a":"b"}/"#, 9),
    ("n_object_with_trailing_garbage", #"{"a":"b"}#"#, 9),
    ("n_string_with_trailing_garbage", #"""x"#, 2),
    ("n_structure_array_trailing_garbage", "[1]x", 3),
    ("n_structure_array_with_extra_array_close", "[1]]", 3),
    ("n_structure_close_unopened_array", "1]", 1),
    ("n_structure_double_array", "[][]", 2),
    ("n_structure_number_with_trailing_garbage", "2@", 1),
    ("n_structure_object_followed_by_closing_object", "{}}", 2),
    ("n_structure_object_with_trailing_garbage", #"{"a": true} "x""#, 12),
    ("n_structure_trailing_#", #"{"a":"b"}#{}"#, 9),
  ]

  private static let tooDeep: [Refusal] = [
    ("n_structure_100000_opening_arrays", Text(repeating: "[", 100_000), 512),
    ("n_structure_open_array_object", Text(repeating: #"[{"":"#, 50_000), 1280),
  ]

  private static let noCommaInArray: [Refusal] = [
    ("n_array_1_true_without_comma", "[1 true]", 3),
    ("n_array_colon_instead_of_comma", #"["": 1]"#, 3),
    ("n_array_inner_array_no_comma", "[3[4]]", 2),
    ("n_array_items_separated_by_semicolon", "[1:2]", 2),
    ("n_number_-1.0.", "[-1.0.]", 5),
    ("n_number_0.1.2", "[0.1.2]", 4),
    ("n_number_1_000", "[1 000.0]", 3),
    ("n_number_expression", "[1+2]", 2),
    ("n_number_hex_1_digit", "[0x1]", 2),
    ("n_number_hex_2_digits", "[0x42]", 2),
    ("n_number_invalid-negative-real", "[-123.123foo]", 9),
    ("n_number_invalid-utf-8-in-bigger-int", [0x5B, 0x31, 0x32, 0x33, 0xE5, 0x5D], 4),
    ("n_number_invalid-utf-8-in-exponent", [0x5B, 0x31, 0x65, 0x31, 0xE5, 0x5D], 4),
    ("n_number_invalid-utf-8-in-int", [0x5B, 0x30, 0xE5, 0x5D, 0x0A], 2),
    ("n_number_neg_with_garbage_at_end", "[-1x]", 3),
    ("n_number_with_alpha", "[1.2a-3]", 4),
    ("n_number_with_alpha_char", "[1.8011670033376514H-308]", 19),
  ]

  private static let noCommaInObject: [Refusal] = [
    ("n_object_garbage_at_end", #"{"a":"a" 123}"#, 9)
  ]

  private static let noColon: [Refusal] = [
    ("n_object_comma_instead_of_colon", #"{"x", null}"#, 4),
    ("n_object_missing_colon", #"{"a" b}"#, 5),
    ("n_object_missing_semicolon", #"{"a" "b"}"#, 5),
    ("n_object_with_single_string", #"{ "foo" : "bar", "a" }"#, 21),
  ]
}
