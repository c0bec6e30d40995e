// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Class names for display.
 *
 * <p>Thread rule: any thread.
 */
public final class ClassNames {

  /** Beginnings of packages of the JDK, and their modules; the longer ones first. */
  private static final Map<String, String> MODULES = new LinkedHashMap<>();

  static {
    module("java.datatransfer", "java.awt.datatransfer");
    module("java.desktop", "java.applet", "java.awt", "java.beans", "javax.accessibility");
    module("java.desktop", "javax.imageio", "javax.print", "javax.sound", "javax.swing");
    module("java.smartcardio", "javax.smartcardio");
    module("jdk.accessibility", "com.sun.java.accessibility");
    module("jdk.compiler", "com.sun.source", "com.sun.tools.javac");
    module("jdk.incubator.vector", "jdk.incubator.vector");
    module("jdk.jartool", "jdk.security.jarsigner");
    module("jdk.javadoc", "jdk.javadoc");
    module("jdk.jconsole", "com.sun.tools.jconsole");
    module("jdk.jdi", "com.sun.jdi");
    module("jdk.jshell", "jdk.jshell");
    module("jdk.jsobject", "netscape.javascript");
    module("jdk.sctp", "com.sun.nio.sctp");
    module("jdk.unsupported.desktop", "jdk.swing.interop");
  }

  private ClassNames() {}

  private static void module(String module, String... packages) {
    for (String name : packages) {
      MODULES.put(name + ".", module);
    }
  }

  /**
   * Returns the name without package; for an anonymous class, which has none, as the compiler has
   * it. Never empty.
   */
  public static String simple(Class<?> type) {
    String simple = type.getSimpleName();
    if (!simple.isEmpty()) {
      return simple;
    }
    String name = type.getName();
    return name.substring(name.lastIndexOf('.') + 1);
  }

  /**
   * Returns a failure as its type and message. When a class of the JDK is missing, because Java was
   * linked without its module, the module is named. A message that throws is left out.
   */
  public static String describe(Throwable failure) {
    String type = simple(failure.getClass());
    String message;
    try {
      message = failure.getMessage();
    } catch (Throwable e) {
      return type; // the exception is the author's
    }
    String missing =
        missingModule(failure, module -> ModuleLayer.boot().findModule(module).isPresent());
    String text = message == null || message.isBlank() ? type : type + ": " + message;
    return missing.isEmpty() ? text : text + ", " + missing;
  }

  /**
   * Returns in which module a missing class is; empty when the failure is another one, or the
   * module is there.
   *
   * @param present whether Java has a module
   */
  public static String missingModule(Throwable failure, Predicate<String> present) {
    if (!(failure instanceof NoClassDefFoundError || failure instanceof ClassNotFoundException)) {
      return "";
    }
    @Nullable String message = failure.getMessage();
    String name = message == null ? "" : message.replace('/', '.');
    for (Map.Entry<String, String> one : MODULES.entrySet()) {
      if (name.startsWith(one.getKey())) {
        return present.test(one.getValue())
            ? ""
            : "a class of the module %s, which this Java does not have: use an image with a complete JDK"
                .formatted(one.getValue());
      }
    }
    return "";
  }
}
