// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.template;

import dev.coxswain.ctl.internal.template.TemplateExpression.Call;
import dev.coxswain.ctl.internal.template.TemplateExpression.Dot;
import dev.coxswain.ctl.internal.template.TemplateExpression.Field;
import dev.coxswain.ctl.internal.template.TemplateExpression.Literal;
import dev.coxswain.ctl.internal.template.TemplateExpression.NoCall;
import dev.coxswain.ctl.internal.template.TemplateExpression.Pipeline;
import dev.coxswain.ctl.internal.template.TemplateExpression.Variable;
import dev.coxswain.ctl.internal.template.TemplatePart.Action;
import dev.coxswain.ctl.internal.template.TemplatePart.Choice;
import dev.coxswain.ctl.internal.template.TemplatePart.Jump;
import dev.coxswain.ctl.internal.template.TemplatePart.Range;
import dev.coxswain.ctl.internal.template.TemplatePart.Text;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One run of a template over a document, with the variables and the dot. */
final class TemplateRun {

  /** What comes after a part. */
  private enum Flow {
    ON,
    NEXT,
    END
  }

  /** A variable, which later ones of its name hide. */
  private static final class Slot {
    private final String name;
    private @Nullable Object value;

    Slot(String name, @Nullable Object value) {
      this.name = name;
      this.value = value;
    }
  }

  /** An element of what a range goes through. */
  private record Entry(Object key, @Nullable Object value) {}

  private final Consumer<String> values;
  private final Consumer<String> texts;
  private final List<Slot> variables = new ArrayList<>();
  private @Nullable Object dot;

  /**
   * Creates a run.
   *
   * @param values receives the values of actions
   * @param texts receives the texts between actions
   */
  TemplateRun(@Nullable Object document, Consumer<String> values, Consumer<String> texts) {
    this.values = values;
    this.texts = texts;
    this.dot = GoValue.of(document);
    variables.add(new Slot("", dot));
  }

  void print(List<TemplatePart> parts) {
    all(parts);
  }

  private Flow all(List<TemplatePart> parts) {
    for (TemplatePart part : parts) {
      Flow flow =
          switch (part) {
            case Text(String text) -> {
              texts.accept(text);
              yield Flow.ON;
            }
            case Action(Pipeline pipeline) -> {
              Object value = set(pipeline);
              if (pipeline.variables().isEmpty()) {
                values.accept(GoValue.present(value) == null ? "<no value>" : GoValue.text(value));
              }
              yield Flow.ON;
            }
            case Choice choice -> choice(choice);
            case Range range -> range(range);
            case Jump(boolean ends) -> ends ? Flow.END : Flow.NEXT;
          };
      if (flow != Flow.ON) {
        return flow;
      }
    }
    return Flow.ON;
  }

  private Flow choice(Choice choice) {
    int known = variables.size();
    Object before = dot;
    Object value = set(choice.pipeline());
    boolean chosen = !GoValue.isEmpty(value);
    if (chosen && choice.dot()) {
      dot = value;
    }
    Flow flow = all(chosen ? choice.parts() : choice.otherwise());
    dot = before;
    forget(known);
    return flow;
  }

  private Flow range(Range range) {
    int known = variables.size();
    Object before = dot;
    Pipeline pipeline = range.pipeline();
    Iterator<Entry> entries = entries(pipeline);
    Flow flow = Flow.ON;
    if (!entries.hasNext()) {
      flow = all(range.otherwise());
    }
    while (flow != Flow.END && entries.hasNext()) {
      Entry entry = entries.next();
      dot = entry.value();
      List<String> names = pipeline.variables();
      for (int i = 0; i < names.size(); i++) {
        assign(pipeline, names.get(i), i == names.size() - 1 ? entry.value() : entry.key());
      }
      flow = all(range.parts());
      forget(known);
      if (flow == Flow.END) {
        dot = before;
        return Flow.ON;
      }
      flow = Flow.ON;
    }
    dot = before;
    forget(known);
    return flow;
  }

  private Iterator<Entry> entries(Pipeline pipeline) {
    Object value = GoValue.present(evaluate(pipeline));
    return switch (value) {
      case null -> List.<Entry>of().iterator();
      case List<?> list ->
          IntStream.range(0, list.size())
              .mapToObj(i -> new Entry(i, GoValue.of(list.get(i))))
              .iterator();
      case Map<?, ?> map ->
          GoValue.sorted(map).entrySet().stream()
              .map(each -> new Entry(each.getKey(), each.getValue()))
              .iterator();
      default ->
          throw new TemplateException(
              pipeline.at(), "range cannot go through " + GoValue.text(value));
    };
  }

  /** Returns the value of a pipeline and sets its variable. */
  private @Nullable Object set(Pipeline pipeline) {
    Object value = evaluate(pipeline);
    pipeline.variables().forEach(name -> assign(pipeline, name, value));
    return value;
  }

  private void assign(Pipeline pipeline, String name, @Nullable Object value) {
    if (pipeline.declares()) {
      variables.add(new Slot(name, value));
    } else {
      variable(name).value = value;
    }
  }

  private Slot variable(String name) {
    for (Slot slot : variables.reversed()) {
      if (slot.name.equals(name)) {
        return slot;
      }
    }
    throw new IllegalStateException("the parser accepts known variables only, not " + name);
  }

  private void forget(int since) {
    variables.subList(since, variables.size()).clear();
  }

  private @Nullable Object evaluate(TemplateExpression expression) {
    return switch (expression) {
      case Literal literal -> literal.value();
      case Dot _ -> dot;
      case Variable variable -> variable(variable.name()).value;
      case Field field -> field(field);
      case Call call -> call(call, List.of());
      case NoCall(int at, TemplateExpression of) ->
          throw new TemplateException(at, "only functions have arguments" + kind(of));
      case Pipeline pipeline -> {
        Object value = evaluate(pipeline.commands().getFirst());
        for (TemplateExpression command :
            pipeline.commands().subList(1, pipeline.commands().size())) {
          value =
              command instanceof Call call
                  ? call(call, Collections.singletonList(value))
                  : evaluate(command);
        }
        yield value;
      }
    };
  }

  private static String kind(TemplateExpression of) {
    return switch (of) {
      case Field field -> ", and ." + field.name() + " is a field";
      case Literal literal -> ", and " + GoValue.text(literal.value()) + " is a value";
      default -> "";
    };
  }

  /** Evaluates a field of a field without a call for each: a template may have ten thousand. */
  private @Nullable Object field(Field last) {
    Deque<Field> fields = new ArrayDeque<>(List.of(last));
    while (fields.getFirst().of() instanceof Field of) {
      fields.addFirst(of);
    }
    Object value = evaluate(fields.getFirst().of());
    for (Field field : fields) {
      value = field(field, value);
    }
    return value;
  }

  private static @Nullable Object field(Field field, @Nullable Object of) {
    if (GoValue.isMissing(of)) {
      return of;
    }
    if (of == null) {
      throw new TemplateException(field.at(), "there is no field " + field.name() + " in null");
    }
    if (of instanceof Map<?, ?> map) {
      return map.containsKey(field.name()) ? GoValue.of(map.get(field.name())) : GoValue.MISSING;
    }
    throw new TemplateException(
        field.at(), "there is no field %s in %s".formatted(field.name(), described(of)));
  }

  private static String described(Object value) {
    return switch (value) {
      case List<?> _ -> "a list";
      case String _ -> "a text";
      case Boolean _ -> "a boolean";
      default -> "a number";
    };
  }

  /**
   * Calls a function.
   *
   * @param piped its last argument, or nothing
   */
  private @Nullable Object call(Call call, List<@Nullable Object> piped) {
    int count = call.arguments().size() + piped.size();
    call.function().checkCount(call.at(), count);
    List<@Nullable Object> arguments = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Object argument =
          i < call.arguments().size() ? evaluate(call.arguments().get(i)) : piped.getFirst();
      // The rest is not evaluated when the value is known: {{if and .a .a.b}}.
      if (call.function().ends(argument)) {
        return argument;
      }
      arguments.add(call.function().isLazy() ? argument : GoValue.present(argument));
    }
    return call.function().isLazy()
        ? arguments.getLast()
        : call.function().of(call.at(), arguments);
  }
}
