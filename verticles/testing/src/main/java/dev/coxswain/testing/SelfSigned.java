// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing;

import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;

/**
 * Certificates that their own keys have signed, made anew.
 *
 * <p>They are made by the JDK's keytool inside this process, which takes a fiftieth of the time of a
 * process of its own; the tests' JVMs open its package. Thread rule: any thread.
 */
public final class SelfSigned {

  /** Of the key stores and of the keys in them. */
  public static final String PASSWORD = "changeit";

  private SelfSigned() {}

  /**
   * Adds a key and its certificate to a file, which may be new.
   *
   * @param store a key store in PKCS #12
   * @param alias the name of the key
   * @param subject the distinguished name, such as {@code CN=test}
   * @param more arguments of {@code keytool -genkeypair}, such as {@code -ext san=ip:127.0.0.1}
   * @return what the file has now
   */
  public static KeyStore add(Path store, String alias, String subject, String... more)
      throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-debug", // failures are thrown, and do not end the process
                "-genkeypair",
                "-alias",
                alias,
                "-dname",
                subject,
                "-keyalg",
                "EC",
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD));
    arguments.addAll(List.of(more));
    try {
      Class.forName("sun.security.tools.keytool.Main")
          .getMethod("main", String[].class)
          .invoke(null, (Object) arguments.toArray(String[]::new));
    } catch (InvocationTargetException e) {
      throw new AssertionError("keytool failed: " + arguments, e.getCause());
    }
    return KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
  }
}
