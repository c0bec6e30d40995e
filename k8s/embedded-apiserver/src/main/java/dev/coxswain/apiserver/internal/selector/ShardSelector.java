// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.selector;

import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.parser.CelParser;
import dev.cel.parser.CelParserFactory;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The parameter {@code shardSelector}: ranges of hashes of one field, which never changes while an
 * object exists; immutable, any thread.
 *
 * <p>Its text is an expression of the Common Expression Language, which the real server parses and
 * never evaluates. So does this one: spaces, parentheses and quotes are those of the language.
 */
public final class ShardSelector {
  /** Selects every object. */
  public static final ShardSelector ALL = new ShardSelector("", List.of());

  private static final String UID = "object.metadata.uid";
  private static final String NAMESPACE = "object.metadata.namespace";
  private static final String RANGE = "shardRange";
  private static final String OR = "_||_";
  private static final int ARGUMENTS = 3;
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  /** Made at the first selector: most servers of tests never have one. */
  private static final class Parser {
    static final CelParser CEL = CelParserFactory.standardCelParserBuilder().build();
  }

  private final String field;
  private final List<ShardRange> ranges;

  private ShardSelector(String field, List<ShardRange> ranges) {
    this.field = field;
    this.ranges = ranges;
  }

  /**
   * Parses the query form, as in {@code shardRange(object.metadata.uid, '0x0000000000000000',
   * '0x8000000000000000') || ...}; throws a 500 when it cannot, as the real server does.
   *
   * @param text the parameter, null or empty = everything
   */
  public static ShardSelector parse(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return ALL;
    }
    if (text.isBlank()) {
      throw invalid("empty shard selector is not allowed; omit the parameter for unfiltered lists");
    }
    List<String> fields = new ArrayList<>();
    List<ShardRange> ranges = new ArrayList<>();
    collect(expression(text), fields, ranges);
    String field = fields.getFirst();
    for (String other : fields) {
      if (!other.equals(field)) {
        throw invalid(
            "all shard ranges must use the same field, got \"%s\" and \"%s\""
                .formatted(field, other));
      }
    }
    return new ShardSelector(field, List.copyOf(ranges));
  }

  static ApiException invalid(String reason) {
    return ApiException.internal("invalid shard selector: " + reason);
  }

  private static CelExpr expression(String text) {
    CelValidationResult parsed = Parser.CEL.parse(text);
    if (parsed.hasError()) {
      throw invalid("CEL parse error: " + parsed.getErrors().getFirst().getMessage());
    }
    try {
      return parsed.getAst().getExpr();
    } catch (CelValidationException e) {
      throw invalid("CEL parse error: " + e.getMessage());
    }
  }

  private static void collect(CelExpr expression, List<String> fields, List<ShardRange> ranges) {
    if (expression.getKind() != CelExpr.ExprKind.Kind.CALL) {
      throw invalid("unexpected expression; expected shardRange() call or || operator");
    }
    CelExpr.CelCall call = expression.call();
    switch (call.function()) {
      case OR -> call.args().forEach(side -> collect(side, fields, ranges));
      case RANGE -> {
        if (call.args().size() != ARGUMENTS) {
          throw invalid("shardRange() requires exactly 3 arguments, got " + call.args().size());
        }
        fields.add(field(call.args().get(0)));
        ranges.add(
            ShardRange.parse(
                literal(call.args().get(1), "hexStart"), literal(call.args().get(2), "hexEnd")));
      }
      default ->
          throw invalid(
              "unsupported function \""
                  + call.function()
                  + "\"; only shardRange() and || are allowed");
    }
  }

  private static String field(CelExpr expression) {
    String path = path(expression);
    if (!path.equals(UID) && !path.equals(NAMESPACE)) {
      throw invalid(
          "unsupported field path \"" + path + "\"; supported: " + UID + ", " + NAMESPACE);
    }
    return path;
  }

  private static String path(CelExpr expression) {
    return switch (expression.getKind()) {
      case IDENT -> expression.ident().name();
      case SELECT -> path(expression.select().operand()) + "." + expression.select().field();
      default ->
          throw invalid("shardRange() first argument: expected field path (e.g. " + UID + ")");
    };
  }

  private static String literal(CelExpr expression, String name) {
    boolean text =
        expression.getKind() == CelExpr.ExprKind.Kind.CONSTANT
            && expression.constant().getKind() == CelConstant.Kind.STRING_VALUE;
    if (!text) {
      throw invalid(name + " must be a string literal (e.g. '0xff')");
    }
    return expression.constant().stringValue();
  }

  /** True when every object is selected because the parameter is not there. */
  public boolean isEmpty() {
    return ranges.isEmpty();
  }

  public boolean matches(StoredObject object) {
    return isEmpty() || matches(hash(field.equals(UID) ? object.uid() : object.namespace()));
  }

  private boolean matches(long hash) {
    for (ShardRange range : ranges) {
      if (range.contains(hash)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the 64-bit FNV-1a hash of a text, as an unsigned number. */
  static long hash(String text) {
    long hash = FNV_OFFSET;
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xff)) * FNV_PRIME;
    }
    return hash;
  }

  /** The normalized text, empty when everything is selected. */
  @Override
  public String toString() {
    return ranges.stream()
        .map(range -> "%s(%s, '%s', '%s')".formatted(RANGE, field, range.start(), range.end()))
        .collect(Collectors.joining(" || "));
  }
}
