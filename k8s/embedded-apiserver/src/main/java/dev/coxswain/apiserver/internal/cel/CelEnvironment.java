// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import com.google.protobuf.Duration;
import com.google.protobuf.Int64Value;
import com.google.protobuf.Timestamp;
import dev.cel.bundle.Cel;
import dev.cel.bundle.CelBuilder;
import dev.cel.bundle.CelFactory;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.extensions.CelExtensions;
import dev.cel.extensions.CelListsExtensions;
import dev.cel.extensions.CelStringExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.validator.CelValidator;
import dev.cel.validator.CelValidatorFactory;
import dev.cel.validator.validators.DurationLiteralValidator;
import dev.cel.validator.validators.HomogeneousLiteralValidator;
import dev.cel.validator.validators.TimestampLiteralValidator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The language as an API server has it, with variables and their types; immutable, any thread. */
final class CelEnvironment {
  private static final int MAX_ITERATIONS = 200_000;
  private static final int MAX_PATTERN = 100_000;

  /** The version of the library that has {@code sortBy}; libraries by functions bring no macros. */
  private static final int LISTS_WITH_MACROS = 2;

  private static final Pattern SYNTAX =
      Pattern.compile(
          "(?m)(?<=^ERROR: <input>:\\d{1,9}:\\d{1,9}: )(?=mismatched|extraneous|missing|token|no viable)");
  private static final Pattern CANDIDATES = Pattern.compile(" \\(candidates: [^\\n]*\\)(?=\\n|$)");

  /** Functions of which the language has overloads already. */
  private static final List<String> SHARED = List.of("string", "indexOf", "lastIndexOf");

  /** Made at the first expression: most servers of tests never have one. */
  private static final class Base {
    static final Cel CEL = base();
  }

  private final Cel cel;

  private CelEnvironment(Cel cel) {
    this.cel = cel;
  }

  /** Returns an environment with these variables. */
  static CelEnvironment of(Map<String, CelShape> variables) {
    CelBuilder builder =
        Base.CEL.toCelBuilder().setTypeProvider(CelShape.provider(variables.values()));
    variables.forEach((name, shape) -> builder.addVar(name, shape.type()));
    return new CelEnvironment(builder.build());
  }

  private static Cel base() {
    CelOptions options =
        CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .enableQuotedIdentifierSyntax(false)
            .comprehensionMaxIterations(MAX_ITERATIONS)
            .maxRegexProgramSize(MAX_PATTERN)
            .build();
    // what makes large values from small ones is bounded in our own functions
    Set<CelStringExtensions.Function> texts = EnumSet.allOf(CelStringExtensions.Function.class);
    texts.removeAll(
        Set.of(
            CelStringExtensions.Function.REVERSE,
            CelStringExtensions.Function.REPLACE,
            CelStringExtensions.Function.JOIN));
    Set<CelListsExtensions.Function> lists = EnumSet.allOf(CelListsExtensions.Function.class);
    lists.remove(CelListsExtensions.Function.RANGE);
    CelBuilder builder =
        CelFactory.plannerCelBuilder()
            .setOptions(options)
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addMacros(CelExtensions.lists(LISTS_WITH_MACROS).macros())
            .addMessageTypes(
                List.of(
                    Timestamp.getDescriptor(),
                    Duration.getDescriptor(),
                    Int64Value.getDescriptor()))
            .addCompilerLibraries(
                CelExtensions.optional(),
                CelExtensions.strings(texts),
                CelExtensions.lists(lists),
                CelExtensions.sets(options),
                CelExtensions.comprehensions())
            .addRuntimeLibraries(
                CelExtensions.optional(),
                CelExtensions.strings(texts),
                CelExtensions.lists(lists),
                CelExtensions.sets(options),
                CelExtensions.comprehensions());
    CelLibrary library = new CelLibrary();
    TextLibrary.addTo(library);
    ListLibrary.addTo(library);
    QuantityLibrary.addTo(library);
    UrlLibrary.addTo(library);
    AddressLibrary.addTo(library);
    VersionLibrary.addTo(library);
    FormatLibrary.addTo(library);
    library.addTo(builder, SHARED);
    return builder.build();
  }

  /**
   * Compiles an expression.
   *
   * @throws CelException with all that is wrong, as an API server prints it
   */
  CelProgram compile(String expression, CelType result, String otherwise) {
    try {
      CelAbstractSyntaxTree tree = checked(cel.compile(expression));
      CelValidator literals =
          CelValidatorFactory.standardCelValidatorBuilder(cel)
              .addAstValidators(
                  TimestampLiteralValidator.INSTANCE,
                  DurationLiteralValidator.INSTANCE,
                  HomogeneousLiteralValidator.newInstance("format"),
                  TextLibrary::check)
              .build();
      tree = checked(literals.validate(tree));
      if (!tree.getResultType().equals(result)) {
        throw new CelException(otherwise.formatted(CelTypes.format(tree.getResultType())));
      }
      return new CelProgram(tree, cel.createProgram(tree));
    } catch (CelValidationException | CelEvaluationException e) {
      throw new CelException("compilation failed: " + e.getMessage());
    }
  }

  private static CelAbstractSyntaxTree checked(CelValidationResult result)
      throws CelValidationException {
    if (result.hasError()) {
      // what would have been accepted is not part of the message of the real server
      String errors = CANDIDATES.matcher(result.getErrorString()).replaceAll("");
      throw new CelException(
          "compilation failed: " + SYNTAX.matcher(errors).replaceAll("Syntax error: "));
    }
    return result.getAst();
  }
}
