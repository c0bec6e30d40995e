// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load.dashboard;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.load.controllers.ManyController;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Makes a class for each of many controllers, since the host takes one of each class. Stateless.
 */
final class ManyClasses {

  private ManyClasses() {}

  /** Writes the classes and the list of them for the service loader into a folder. */
  static void write(Path folder, int controllers) throws IOException {
    List<String> names = new ArrayList<>();
    ClassDesc parent = ManyController.class.describeConstable().orElseThrow();
    for (int i = 0; i < controllers; i++) {
      String name = String.format(Locale.ROOT, "many_%03d", i);
      names.add("many." + name);
      ClassFile.of()
          .buildTo(
              Files.createDirectories(folder.resolve("many")).resolve(name + ".class"),
              ClassDesc.of("many", name),
              type ->
                  type.withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL)
                      .withSuperclass(parent)
                      .withMethodBody(
                          ConstantDescs.INIT_NAME,
                          ConstantDescs.MTD_void,
                          ClassFile.ACC_PUBLIC,
                          code ->
                              code.aload(0)
                                  .invokespecial(
                                      parent, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                                  .return_()));
    }
    Path services = Files.createDirectories(folder.resolve("META-INF/services"));
    Files.write(services.resolve(ControllerDefinition.class.getName()), names);
  }
}
